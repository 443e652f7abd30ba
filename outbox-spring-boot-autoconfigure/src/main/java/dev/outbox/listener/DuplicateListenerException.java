package dev.outbox.listener;

/**
 * Two listeners cannot be told apart: they take the same events without an id of their
 * own each, or they have the same id.
 */
public class DuplicateListenerException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private DuplicateListenerException(String message) {
		super(message);
	}

	static DuplicateListenerException sameEvents(Subscription subscription, ListenerEndpoint first,
			ListenerEndpoint second) {
		return new DuplicateListenerException("The listeners %s and %s take the same events, %s, and not both have an "
			.formatted(first, second, subscription) + "id of their own");
	}

	static DuplicateListenerException sameId(ListenerEndpoint first, ListenerEndpoint second) {
		return new DuplicateListenerException(
				"The listeners %s and %s have the same id, '%s'".formatted(first, second, first.id()));
	}

}
