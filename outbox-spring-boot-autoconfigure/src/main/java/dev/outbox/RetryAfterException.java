package dev.outbox;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a listener that wants the event again later. That is no failure and does not
 * count as an attempt.
 */
public class RetryAfterException extends OutboxException {

	private static final long serialVersionUID = 1L;

	private final Duration delay;

	public RetryAfterException(Duration delay) {
		this(delay, null);
	}

	public RetryAfterException(Duration delay, @Nullable Throwable cause) {
		super("To be delivered again after " + delay, cause);
		if (delay == null || delay.isNegative()) {
			throw new IllegalArgumentException("The delay must not be negative: " + delay);
		}
		this.delay = delay;
	}

	/**
	 * Return how long to wait.
	 * @return the delay
	 */
	public Duration delay() {
		return this.delay;
	}

}
