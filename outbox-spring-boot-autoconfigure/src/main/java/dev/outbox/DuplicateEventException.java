package dev.outbox;

/**
 * An event with the same id is in the outbox already.
 */
public class DuplicateEventException extends OutboxException {

	private static final long serialVersionUID = 1L;

	public DuplicateEventException(String message) {
		super(message);
	}

}
