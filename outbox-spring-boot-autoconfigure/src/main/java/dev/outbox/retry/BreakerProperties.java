package dev.outbox.retry;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * When a listener that keeps failing is left alone for a while.
 *
 * @param failures Number of failures in a row that pause a listener. 0 switches the
 * breaker off.
 * @param events Number of different events among these failures.
 * @param probeInterval Time between the single deliveries that try whether a paused
 * listener works again.
 */
@ConfigurationProperties("outbox.breaker")
public record BreakerProperties(@DefaultValue("20") int failures, @DefaultValue("3") int events,
		@DefaultValue("5s") Duration probeInterval) {

	private static final int MAX_EVENTS = 1000;

	private static final Duration MAX_INTERVAL = Duration.ofDays(1);

	public BreakerProperties {
		if (failures < 0) {
			throw new IllegalArgumentException("outbox.breaker.failures must not be negative, but is " + failures);
		}
		if (events < 1 || events > MAX_EVENTS) {
			throw new IllegalArgumentException(
					"outbox.breaker.events must be between 1 and %d, but is %d".formatted(MAX_EVENTS, events));
		}
		if (probeInterval.isNegative() || probeInterval.isZero() || probeInterval.compareTo(MAX_INTERVAL) > 0) {
			throw new IllegalArgumentException(
					"outbox.breaker.probe-interval must be positive and at most a day, but is " + probeInterval);
		}
	}

}
