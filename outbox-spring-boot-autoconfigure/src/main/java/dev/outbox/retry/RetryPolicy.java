package dev.outbox.retry;

import java.time.Duration;

/**
 * How long an event waits after a failed attempt. A bean of this type replaces the one
 * that {@code outbox.retry} describes.
 */
@FunctionalInterface
public interface RetryPolicy {

	/**
	 * Return how long to wait before the next attempt.
	 * @param attempts how many attempts have failed, at least 1
	 * @return the time to wait, not negative
	 */
	Duration delay(int attempts);

	/**
	 * Wait longer after each failure, and never exactly as long as others that failed at
	 * the same time.
	 * @param initialDelay the time after the first failure
	 * @param maxDelay the time at which it stops growing; chance may still lengthen it
	 * @param multiplier what each failure multiplies the time by
	 * @param jitter by which part of itself chance shortens or lengthens the time
	 * @return the policy
	 */
	static RetryPolicy exponential(Duration initialDelay, Duration maxDelay, double multiplier, double jitter) {
		return new ExponentialRetryPolicy(initialDelay, maxDelay, multiplier, jitter);
	}

	/**
	 * Wait the same time after each failure.
	 * @param delay the time
	 * @return the policy
	 */
	static RetryPolicy fixed(Duration delay) {
		return new ExponentialRetryPolicy(delay, delay, 1, 0);
	}

}
