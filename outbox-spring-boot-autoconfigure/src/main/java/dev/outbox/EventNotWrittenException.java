package dev.outbox;

import org.jspecify.annotations.Nullable;

/**
 * A transaction was rolled back at its commit because an event of it could not be written
 * earlier and that failure had been swallowed. The cause is the original failure.
 */
public class EventNotWrittenException extends OutboxException {

	private static final long serialVersionUID = 1L;

	public EventNotWrittenException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
