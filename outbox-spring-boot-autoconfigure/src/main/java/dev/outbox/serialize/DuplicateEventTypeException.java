package dev.outbox.serialize;

/**
 * Two classes claim one logical event type, so a stored event would not tell which it is.
 */
public class DuplicateEventTypeException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	DuplicateEventTypeException(String eventType, Class<?> first, Class<?> second) {
		super("The event type '%s' is claimed by both %s and %s".formatted(eventType, first.getName(),
				second.getName()));
	}

}
