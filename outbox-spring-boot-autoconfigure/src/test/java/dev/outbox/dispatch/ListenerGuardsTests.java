package dev.outbox.dispatch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;

import dev.outbox.listener.ListenerRegistry;
import dev.outbox.listener.ListenerSettings;
import dev.outbox.retry.BreakerProperties;
import dev.outbox.retry.OutageClassifier;
import dev.outbox.retry.RetryPolicy;
import dev.outbox.retry.RetryProperties;
import dev.outbox.testsupport.Failures;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Tests for {@link ListenerGuards} and {@link ListenerGuard}.
 */
class ListenerGuardsTests {

	private static final RetryProperties RETRY = new RetryProperties(10, Duration.ofMillis(200), Duration.ofSeconds(60),
			2, 0, Duration.ofDays(7));

	private static final BreakerProperties BREAKER = new BreakerProperties(3, 2, Duration.ofSeconds(5));

	@Test
	void aListenerThatWantsNothingElseHasTheRulesOfTheOutbox() {
		ListenerGuard guard = guard(ListenerSettings.DEFAULTS);
		assertThat(guard.maxAttempts()).isEqualTo(10);
		assertThat(guard.delay(1)).isEqualTo(Duration.ofMillis(200));
		assertThat(guard.delay(3)).isEqualTo(Duration.ofMillis(800));
		assertThat(guard.delay(30)).isEqualTo(Duration.ofSeconds(60));
	}

	@Test
	void aListenerHasItsOwnRulesWhereItSaysSo() {
		ListenerGuard guard = guard(FakeListener.settings(3, Duration.ofSeconds(1), Duration.ofSeconds(3), List.of()));
		assertThat(guard.maxAttempts()).isEqualTo(3);
		assertThat(guard.delay(1)).isEqualTo(Duration.ofSeconds(1));
		assertThat(guard.delay(2)).isEqualTo(Duration.ofSeconds(2));
		assertThat(guard.delay(3)).isEqualTo(Duration.ofSeconds(3));
	}

	@Test
	void aFirstDelayBeyondTheLongestOfTheOutboxIsTheListenersLongest() {
		ListenerGuard guard = guard(FakeListener.settings(null, Duration.ofMinutes(2), null, List.of()));
		assertThat(guard.delay(1)).isEqualTo(Duration.ofMinutes(2));
		assertThat(guard.delay(5)).isEqualTo(Duration.ofMinutes(2));
	}

	@Test
	void aLongestDelayBelowTheFirstOfTheOutboxIsTheListenersFirst() {
		ListenerGuard guard = guard(FakeListener.settings(null, null, Duration.ofMillis(50), List.of()));
		assertThat(guard.delay(1)).isEqualTo(Duration.ofMillis(50));
		assertThat(guard.delay(5)).isEqualTo(Duration.ofMillis(50));
	}

	@Test
	void exceptionsThatAreNotRetriedAreFoundAmongTheCauses() {
		ListenerGuard guard = guard(FakeListener.settings(null, null, null, List.of(IOException.class)));
		assertThat(guard.isHopeless(new IllegalStateException(new UncheckedIOException(new IOException())))).isTrue();
		assertThat(guard.isHopeless(new IllegalStateException())).isFalse();
	}

	@Test
	void aFailureThatIsTheEventsFaultPausesNoListener() {
		ListenerGuard guard = guard(FakeListener.settings(null, null, null, List.of(IOException.class)));
		assertThat(guard.mayBeOutage(new UncheckedIOException(new IOException()))).isFalse();
		assertThat(guard.mayBeOutage(new IllegalStateException())).isTrue();
	}

	@ParameterizedTest
	@MethodSource("dev.outbox.testsupport.Failures#all")
	void aPolicyThatFailsOnlyMakesAnEventWait(Throwable failure) {
		ListenerGuard guard = guard((attempts) -> {
			Failures.<RuntimeException>raise(failure);
			return Duration.ZERO;
		}, OutageClassifier.standard());
		assertThat(guard.delay(1)).isPositive();
	}

	@Test
	void aPolicyThatAnswersNonsenseOnlyMakesAnEventWait() {
		assertThat(guard((attempts) -> Duration.ofMillis(-1), OutageClassifier.standard()).delay(1)).isZero();
		Duration longest = guard((attempts) -> Duration.ofDays(365_000), OutageClassifier.standard()).delay(1);
		assertThatCode(longest::toNanos).doesNotThrowAnyException();
		assertThat(longest).isGreaterThan(Duration.ofDays(300));
	}

	@ParameterizedTest
	@MethodSource("dev.outbox.testsupport.Failures#all")
	void aClassifierThatFailsMakesNoOutage(Throwable failure) {
		ListenerGuard guard = guard(RETRY.policy(), (cause) -> {
			Failures.<RuntimeException>raise(failure);
			return true;
		});
		assertThat(guard.mayBeOutage(new IOException())).isFalse();
	}

	private static ListenerGuard guard(ListenerSettings settings) {
		return guard(settings, RETRY.policy(), OutageClassifier.standard());
	}

	private static ListenerGuard guard(RetryPolicy policy, OutageClassifier classifier) {
		return guard(ListenerSettings.DEFAULTS, policy, classifier);
	}

	private static ListenerGuard guard(ListenerSettings settings, RetryPolicy policy, OutageClassifier classifier) {
		ListenerRegistry registry = new ListenerRegistry();
		registry.register(FakeListener.called("a").with(settings));
		return new ListenerGuards("outbox", registry, RETRY, policy, BREAKER, classifier, () -> {
		}).forEvent("", "thing.happened").get(0);
	}

}
