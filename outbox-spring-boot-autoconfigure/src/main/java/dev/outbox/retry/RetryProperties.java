package dev.outbox.retry;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How often and when failed deliveries are repeated.
 *
 * @param maxAttempts Number of failed attempts after which an event is dead.
 * @param initialDelay Time to wait after the first failed attempt.
 * @param maxDelay Time at which the wait stops growing. Jitter comes on top of it.
 * @param multiplier Factor by which each further failed attempt lengthens the wait.
 * @param jitter Part of the wait by which chance shortens or lengthens it, from 0 to 1.
 * @param maxDeferral Longest time for which a listener can put an event off.
 */
@ConfigurationProperties("outbox.retry")
public record RetryProperties(@DefaultValue("10") int maxAttempts, @DefaultValue("200ms") Duration initialDelay,
		@DefaultValue("60s") Duration maxDelay, @DefaultValue("2") double multiplier,
		@DefaultValue("0.5") double jitter, @DefaultValue("7d") Duration maxDeferral) {

	private static final Duration LONGEST_DEFERRAL = Duration.ofDays(3653);

	public RetryProperties {
		require(maxAttempts >= 1, "outbox.retry.max-attempts must be at least 1, but is " + maxAttempts);
		check(initialDelay, maxDelay, multiplier, jitter);
		require(!maxDeferral.isNegative(), "outbox.retry.max-deferral must not be negative, but is " + maxDeferral);
		require(maxDeferral.compareTo(LONGEST_DEFERRAL) <= 0,
				"outbox.retry.max-deferral must be at most 10 years, but is " + maxDeferral);
	}

	static void check(Duration initialDelay, Duration maxDelay, double multiplier, double jitter) {
		require(!initialDelay.isNegative(), "outbox.retry.initial-delay must not be negative, but is " + initialDelay);
		require(maxDelay.compareTo(initialDelay) >= 0, "outbox.retry.max-delay (" + maxDelay
				+ ") must not be shorter than outbox.retry.initial-delay (" + initialDelay + ")");
		require(multiplier >= 1 && Double.isFinite(multiplier),
				"outbox.retry.multiplier must be at least 1, but is " + multiplier);
		require(jitter >= 0 && jitter <= 1, "outbox.retry.jitter must be between 0 and 1, but is " + jitter);
	}

	private static void require(boolean condition, String message) {
		if (!condition) {
			throw new IllegalArgumentException(message);
		}
	}

	/**
	 * Return these properties with what a listener wants otherwise.
	 * @param maxAttempts its number of attempts, or {@code null} to leave it
	 * @param initialDelay its time after the first failure, or {@code null} to leave it
	 * @param maxDelay its longest time, or {@code null} to leave it
	 * @param multiplier its factor, or {@code null} to leave it
	 * @return the properties for that listener
	 */
	public RetryProperties withOverrides(@Nullable Integer maxAttempts, @Nullable Duration initialDelay,
			@Nullable Duration maxDelay, @Nullable Double multiplier) {
		return new RetryProperties((maxAttempts != null) ? maxAttempts : this.maxAttempts,
				(initialDelay != null) ? initialDelay : this.initialDelay,
				(maxDelay != null) ? maxDelay : this.maxDelay, (multiplier != null) ? multiplier : this.multiplier,
				this.jitter, this.maxDeferral);
	}

	/**
	 * Return the policy that these properties describe.
	 * @return the policy
	 */
	public RetryPolicy policy() {
		return RetryPolicy.exponential(this.initialDelay, this.maxDelay, this.multiplier, this.jitter);
	}

}
