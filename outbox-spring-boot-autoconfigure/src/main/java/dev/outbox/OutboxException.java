package dev.outbox;

import org.jspecify.annotations.Nullable;

/**
 * Base of the exceptions that the outbox itself throws. Errors of the database arrive as
 * Spring's {@code DataAccessException}.
 */
public class OutboxException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	public OutboxException(String message) {
		super(message);
	}

	public OutboxException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
