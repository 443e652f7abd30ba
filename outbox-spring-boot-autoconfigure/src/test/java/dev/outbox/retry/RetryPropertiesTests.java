package dev.outbox.retry;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link RetryProperties} and {@link BreakerProperties}.
 */
class RetryPropertiesTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final RetryProperties properties = new RetryProperties(10, SECOND, MINUTE, 2, 0.5, Duration.ofDays(7));

	@Test
	void whatAListenerSaysIsPutInPlaceOfTheRest() {
		assertThat(this.properties.withOverrides(null, null, null, null)).isEqualTo(this.properties);
		assertThat(this.properties.withOverrides(3, Duration.ZERO, SECOND, 4.0))
			.isEqualTo(new RetryProperties(3, Duration.ZERO, SECOND, 4, 0.5, Duration.ofDays(7)));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.properties.withOverrides(null, Duration.ofHours(1), null, null))
			.withMessage("outbox.retry.max-delay (PT1M) must not be shorter than outbox.retry.initial-delay (PT1H)");
	}

	@Test
	void thePolicyFollowsTheProperties() {
		RetryPolicy policy = new RetryProperties(10, SECOND, MINUTE, 3, 0, SECOND).policy();
		assertThat(policy.delay(2)).isEqualTo(Duration.ofSeconds(3));
		assertThat(policy.delay(20)).isEqualTo(MINUTE);
	}

	@Test
	void impossibleValuesAreRefusedByName() {
		refused("max-attempts must be at least 1, but is 0", 0, SECOND, MINUTE, 2, 0.5, SECOND);
		refused("initial-delay must not be negative, but is PT-1S", 1, SECOND.negated(), MINUTE, 2, 0.5, SECOND);
		refused("multiplier must be at least 1, but is 0.5", 1, SECOND, MINUTE, 0.5, 0.5, SECOND);
		refused("multiplier must be at least 1, but is NaN", 1, SECOND, MINUTE, Double.NaN, 0.5, SECOND);
		refused("multiplier must be at least 1, but is Infinity", 1, SECOND, MINUTE, Double.POSITIVE_INFINITY, 0.5,
				SECOND);
		refused("jitter must be between 0 and 1, but is 1.5", 1, SECOND, MINUTE, 2, 1.5, SECOND);
		refused("jitter must be between 0 and 1, but is -0.1", 1, SECOND, MINUTE, 2, -0.1, SECOND);
		refused("max-deferral must not be negative, but is PT-1S", 1, SECOND, MINUTE, 2, 0.5, SECOND.negated());
	}

	private static void refused(String message, int maxAttempts, Duration initialDelay, Duration maxDelay,
			double multiplier, double jitter, Duration maxDeferral) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new RetryProperties(maxAttempts, initialDelay, maxDelay, multiplier, jitter, maxDeferral))
			.withMessage("outbox.retry." + message);
	}

	@Test
	void impossibleBreakersAreRefusedByName() {
		assertThatIllegalArgumentException().isThrownBy(() -> new BreakerProperties(-1, 3, SECOND))
			.withMessage("outbox.breaker.failures must not be negative, but is -1");
		assertThatIllegalArgumentException().isThrownBy(() -> new BreakerProperties(1, 0, SECOND))
			.withMessage("outbox.breaker.events must be between 1 and 1000, but is 0");
		assertThatIllegalArgumentException().isThrownBy(() -> new BreakerProperties(1, 1001, SECOND));
		for (Duration interval : new Duration[] { Duration.ZERO, SECOND.negated(), Duration.ofDays(2) }) {
			assertThatIllegalArgumentException().isThrownBy(() -> new BreakerProperties(1, 1, interval))
				.withMessageStartingWith("outbox.breaker.probe-interval must be positive");
		}
	}

}
