package dev.outbox;

/**
 * The string form of {@link EventType}.
 */
record NamedEventType(String name) implements EventType {

	@Override
	public String toString() {
		return this.name;
	}

}
