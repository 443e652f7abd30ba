package dev.outbox.retry;

import java.io.IOException;
import java.time.Duration;

import dev.outbox.InvalidEventException;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OutboxRetryAutoConfiguration}.
 */
class OutboxRetryAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(OutboxRetryAutoConfiguration.class));

	@Test
	void hasTheDefaultsOfTheDesign() {
		this.runner.run((context) -> {
			assertThat(context.getBean(RetryProperties.class)).isEqualTo(new RetryProperties(10, Duration.ofMillis(200),
					Duration.ofSeconds(60), 2, 0.5, Duration.ofDays(7)));
			assertThat(context.getBean(BreakerProperties.class))
				.isEqualTo(new BreakerProperties(20, 3, Duration.ofSeconds(5)));
			assertThat(context.getBean(RetryPolicy.class).delay(1)).isBetween(Duration.ofMillis(100),
					Duration.ofMillis(300));
			OutageClassifier classifier = context.getBean(OutageClassifier.class);
			assertThat(classifier.mayBeOutage(new IOException())).isTrue();
			assertThat(classifier.mayBeOutage(new InvalidEventException("payload", "is missing"))).isFalse();
		});
	}

	@Test
	void thePolicyIsConfigurable() {
		this.runner
			.withPropertyValues("outbox.retry.initial-delay=3s", "outbox.retry.jitter=0", "outbox.retry.multiplier=1.5")
			.run((context) -> assertThat(context.getBean(RetryPolicy.class).delay(2))
				.isEqualTo(Duration.ofMillis(4500)));
	}

	@Test
	void aWrongValueStopsTheStart() {
		this.runner.withPropertyValues("outbox.retry.jitter=2")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessage("outbox.retry.jitter must be between 0 and 1, but is 2.0"));
	}

	@Test
	void backsOffForOwnBeans() {
		RetryPolicy policy = RetryPolicy.fixed(Duration.ofSeconds(1));
		OutageClassifier classifier = (failure) -> false;
		this.runner.withBean("mine", RetryPolicy.class, () -> policy)
			.withBean("myClassifier", OutageClassifier.class, () -> classifier)
			.run((context) -> {
				assertThat(context.getBean(RetryPolicy.class)).isSameAs(policy);
				assertThat(context.getBean(OutageClassifier.class)).isSameAs(classifier);
			});
	}

	@Test
	void isOffWithTheOutbox() {
		this.runner.withPropertyValues("outbox.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(RetryPolicy.class)
				.doesNotHaveBean(OutageClassifier.class)
				.doesNotHaveBean(RetryProperties.class));
	}

}
