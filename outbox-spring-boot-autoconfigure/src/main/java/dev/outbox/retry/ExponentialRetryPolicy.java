package dev.outbox.retry;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * {@code min(maxDelay, initialDelay * multiplier^(attempts - 1)) * random(1 - jitter, 1 +
 * jitter)}. Chance comes after the limit, so that events that have reached it do not all
 * come back at once. Computed in floating point, which does not overflow.
 */
final class ExponentialRetryPolicy implements RetryPolicy {

	private static final double NANOS_PER_SECOND = 1_000_000_000;

	private final double initialNanos;

	private final double maxNanos;

	private final double multiplier;

	private final double jitter;

	private final DoubleSupplier random;

	ExponentialRetryPolicy(Duration initialDelay, Duration maxDelay, double multiplier, double jitter) {
		this(initialDelay, maxDelay, multiplier, jitter, () -> ThreadLocalRandom.current().nextDouble());
	}

	/**
	 * Create a policy.
	 * @param random chance as a number from 0 to 1
	 */
	ExponentialRetryPolicy(Duration initialDelay, Duration maxDelay, double multiplier, double jitter,
			DoubleSupplier random) {
		RetryProperties.check(initialDelay, maxDelay, multiplier, jitter);
		this.initialNanos = nanos(initialDelay);
		this.maxNanos = nanos(maxDelay);
		this.multiplier = multiplier;
		this.jitter = jitter;
		this.random = random;
	}

	private static double nanos(Duration duration) {
		return duration.getSeconds() * NANOS_PER_SECOND + duration.getNano();
	}

	@Override
	public Duration delay(int attempts) {
		if (this.initialNanos == 0) {
			return Duration.ZERO;
		}
		double growth = Math.pow(this.multiplier, Math.max(0, attempts - 1.0));
		double delay = Math.min(this.maxNanos, this.initialNanos * growth);
		double chance = 1 - this.jitter + 2 * this.jitter * this.random.getAsDouble();
		return Duration.ofNanos((long) (delay * chance));
	}

}
