package dev.outbox.retry;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link RetryPolicy}.
 */
class RetryPolicyTests {

	private static final Duration INITIAL = Duration.ofMillis(200);

	private static final Duration MAX = Duration.ofSeconds(60);

	@Test
	void theDelayGrowsUpToTheLimit() {
		RetryPolicy policy = RetryPolicy.exponential(INITIAL, MAX, 2, 0);
		assertThat(policy.delay(1)).isEqualTo(INITIAL);
		assertThat(policy.delay(2)).isEqualTo(Duration.ofMillis(400));
		assertThat(policy.delay(9)).isEqualTo(Duration.ofMillis(51_200));
		assertThat(policy.delay(10)).isEqualTo(MAX);
		assertThat(policy.delay(0)).isEqualTo(INITIAL);
		assertThat(policy.delay(Integer.MIN_VALUE)).isEqualTo(INITIAL);
		assertThat(RetryPolicy.exponential(INITIAL, MAX, 1.5, 0).delay(3)).isEqualTo(Duration.ofMillis(450));
	}

	@Test
	void noNumberOfAttemptsOverflows() {
		assertThat(RetryPolicy.exponential(INITIAL, MAX, 2, 0).delay(Integer.MAX_VALUE)).isEqualTo(MAX);
		assertThat(RetryPolicy.exponential(Duration.ZERO, MAX, 2, 0.5).delay(Integer.MAX_VALUE)).isZero();
		assertThat(RetryPolicy.exponential(INITIAL, Duration.ofSeconds(Long.MAX_VALUE), 10, 1).delay(1000))
			.isPositive();
	}

	@Test
	void chanceWorksOnTheLimitToo() {
		assertThat(withChance(0).delay(1)).isEqualTo(Duration.ofMillis(100));
		assertThat(withChance(1).delay(1)).isEqualTo(Duration.ofMillis(300));
		assertThat(withChance(0).delay(100)).isEqualTo(Duration.ofSeconds(30));
		assertThat(withChance(0.5).delay(100)).isEqualTo(MAX);
		assertThat(withChance(1).delay(100)).isEqualTo(Duration.ofSeconds(90));
	}

	private static RetryPolicy withChance(double chance) {
		return new ExponentialRetryPolicy(INITIAL, MAX, 2, 0.5, () -> chance);
	}

	@Test
	void chanceIsDifferentEachTime() {
		RetryPolicy policy = RetryPolicy.exponential(INITIAL, MAX, 2, 0.5);
		Duration shortest = MAX;
		Duration longest = Duration.ZERO;
		for (int i = 0; i < 2000; i++) {
			Duration delay = policy.delay(1);
			assertThat(delay).isBetween(Duration.ofMillis(100), Duration.ofMillis(300));
			shortest = (delay.compareTo(shortest) < 0) ? delay : shortest;
			longest = (delay.compareTo(longest) > 0) ? delay : longest;
		}
		assertThat(shortest).isLessThan(Duration.ofMillis(120));
		assertThat(longest).isGreaterThan(Duration.ofMillis(280));
	}

	@Test
	void aFixedDelayStaysTheSame() {
		RetryPolicy policy = RetryPolicy.fixed(Duration.ofSeconds(3));
		assertThat(policy.delay(1)).isEqualTo(policy.delay(1000)).isEqualTo(Duration.ofSeconds(3));
		assertThatIllegalArgumentException().isThrownBy(() -> RetryPolicy.fixed(Duration.ofSeconds(-1)));
	}

}
