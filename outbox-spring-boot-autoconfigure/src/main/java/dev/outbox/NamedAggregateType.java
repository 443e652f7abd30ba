package dev.outbox;

/**
 * The string form of {@link AggregateType}.
 */
record NamedAggregateType(String name) implements AggregateType {

	@Override
	public String toString() {
		return this.name;
	}

}
