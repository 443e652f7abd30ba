package dev.outbox;

import java.time.Duration;

/**
 * What a listener answers if it does more than return or throw.
 */
public sealed interface DispatchResult {

	/**
	 * Answer that the event is handled.
	 * @return the answer
	 */
	static DispatchResult done() {
		return Done.INSTANCE;
	}

	/**
	 * Answer that the event should be delivered again later. That is no failure and does
	 * not count as an attempt.
	 * @param delay how long to wait
	 * @return the answer
	 */
	static DispatchResult retryAfter(Duration delay) {
		return new RetryAfter(delay);
	}

	/**
	 * The event is handled.
	 */
	record Done() implements DispatchResult {

		private static final Done INSTANCE = new Done();

	}

	/**
	 * The event should be delivered again later.
	 *
	 * @param delay how long to wait
	 */
	record RetryAfter(Duration delay) implements DispatchResult {

		public RetryAfter {
			if (delay == null || delay.isNegative()) {
				throw new IllegalArgumentException("The delay must not be negative: " + delay);
			}
		}

	}

}
