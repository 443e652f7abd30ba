package dev.outbox;

/**
 * Logical name of a kind of event, independent of any Java class. An enum may implement
 * this interface as it is: its constants' names become the stored names.
 */
public interface EventType {

	/**
	 * Return the stored name, for example {@code OrderPlaced}.
	 * @return the name, at most 128 characters
	 */
	String name();

	/**
	 * Return an event type for a name that is only known at run time.
	 * @param name the stored name
	 * @return the event type
	 */
	static EventType of(String name) {
		return new NamedEventType(EventField.EVENT_TYPE.check(name));
	}

}
