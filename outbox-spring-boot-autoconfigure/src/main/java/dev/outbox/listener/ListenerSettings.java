package dev.outbox.listener;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * How a listener wants to be called. What is {@code null} is as the outbox has it.
 *
 * @param maxAttempts how often to try before an event is given up
 * @param initialDelay how long to wait after the first failure
 * @param maxDelay how long to wait between attempts at most
 * @param multiplier by how much each wait is longer than the one before
 * @param noRetryFor exceptions after which an event is given up at once
 * @param transactional whether to call it in the transaction that marks the event as done
 * @param batchSize how many events a listener for lists gets with one call
 * @param batchWait how long to wait for that many
 * @param maxInFlight how many calls of an asynchronous listener may be under way
 */
public record ListenerSettings(@Nullable Integer maxAttempts, @Nullable Duration initialDelay,
		@Nullable Duration maxDelay, @Nullable Double multiplier, List<Class<? extends Throwable>> noRetryFor,
		boolean transactional, int batchSize, Duration batchWait, int maxInFlight) {

	/**
	 * Everything as the outbox has it.
	 */
	public static final ListenerSettings DEFAULTS = new ListenerSettings(null, null, null, null, List.of(), false, 100,
			Duration.ZERO, 256);

	public ListenerSettings {
		noRetryFor = List.copyOf(noRetryFor);
		Assert.isTrue(maxAttempts == null || maxAttempts >= 1, "maxAttempts must be at least 1");
		Assert.isTrue(initialDelay == null || !initialDelay.isNegative(), "initialDelay must not be negative");
		Assert.isTrue(maxDelay == null || !maxDelay.isNegative(), "maxDelay must not be negative");
		Assert.isTrue(initialDelay == null || maxDelay == null || initialDelay.compareTo(maxDelay) <= 0,
				"initialDelay must not be longer than maxDelay");
		Assert.isTrue(multiplier == null || (multiplier >= 1 && !multiplier.isInfinite()),
				"multiplier must be at least 1");
		Assert.isTrue(batchSize >= 1, "batchSize must be at least 1");
		Assert.isTrue(!batchWait.isNegative(), "batchWait must not be negative");
		Assert.isTrue(maxInFlight >= 1, "maxInFlight must be at least 1");
	}

}
