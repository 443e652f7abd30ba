package dev.outbox;

/**
 * A write was refused because the event would not share the fate of the business data:
 * there is no usable transaction of the outbox's own DataSource.
 */
public class OutboxTransactionException extends OutboxException {

	private static final long serialVersionUID = 1L;

	public OutboxTransactionException(String message) {
		super(message);
	}

}
