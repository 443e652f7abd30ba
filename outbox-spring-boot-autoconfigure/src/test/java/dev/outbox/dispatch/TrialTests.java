package dev.outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.outbox.listener.DeliveryResult;
import dev.outbox.listener.ListenerRegistry;
import dev.outbox.retry.BreakerProperties;
import dev.outbox.retry.OutageClassifier;
import dev.outbox.retry.RetryProperties;
import dev.outbox.store.EventRecord;
import dev.outbox.store.Outcome;
import dev.outbox.store.Settlement;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Trial}.
 */
class TrialTests {

	private static final RetryProperties RETRY = new RetryProperties(3, Duration.ofSeconds(1), Duration.ofSeconds(60),
			2, 0, Duration.ofDays(7));

	private static final DeliveryResult DONE = new DeliveryResult.Done();

	private final ListenerRegistry registry = new ListenerRegistry();

	private final ListenerGuards guards = new ListenerGuards("outbox", this.registry, RETRY, RETRY.policy(),
			new BreakerProperties(20, 3, Duration.ofSeconds(5)), OutageClassifier.standard(), () -> {
			});

	@Test
	void oneListenerThatIsDone() {
		assertThat(settled(trial(0, null, null, "a"), DONE).outcome()).isEqualTo(new Outcome.Done());
	}

	@Test
	void oneListenerThatFailsIsTriedAgainAndAtLastGivenUp() {
		Settlement first = settled(trial(0, null, null, "a"), failed("first"));
		assertThat(first).extracting(Settlement::attempts, Settlement::progress).containsExactly(1, null);
		assertThat(first.outcome()).isEqualTo(new Outcome.Retry(Duration.ofSeconds(1), error("a", "first")));
		Settlement second = settled(trial(1, null, null, "a"), failed("second"));
		assertThat(second.outcome()).isEqualTo(new Outcome.Retry(Duration.ofSeconds(2), error("a", "second")));
		Settlement third = settled(trial(2, null, null, "a"), failed("third"));
		assertThat(third.attempts()).isEqualTo(3);
		assertThat(third.outcome()).isEqualTo(new Outcome.Dead(error("a", "third")));
	}

	@Test
	void aDelayThatWasAskedForIsNotCountedAndHasALimit() {
		assertThat(settled(trial(2, null, null, "a"), later(Duration.ofHours(1)))).isEqualTo(
				new Settlement(QueuedEvents.cold("e").claim(), new Outcome.Deferred(Duration.ofHours(1)), 2, null));
		assertThat(settled(trial(2, null, null, "a"), later(Duration.ofDays(8))).outcome())
			.isEqualTo(new Outcome.Deferred(Duration.ofDays(7)));
	}

	@Test
	void anAttemptThatWasCountedBeforehandIsNotCountedTwice() {
		Trial failing = trial(counted(1), "a");
		assertThat(failing.delivery(guard("a")).attempt()).isOne();
		assertThat(settled(failing, failed("x")).attempts()).isOne();
		assertThat(settled(trial(counted(1), "a"), later(Duration.ofHours(1))).attempts())
			.as("and taken back if it was none")
			.isZero();
	}

	@Test
	void severalListenersAreDoneWhenAllAre() {
		assertThat(settled(trial(0, null, null, "a", "b"), DONE, DONE).outcome()).isEqualTo(new Outcome.Done());
		Settlement half = settled(trial(0, null, null, "a", "b"), DONE, failed("x"));
		assertThat(half.progress()).isEqualTo("{\"a\":\"done\",\"b\":\"1\"}");
		assertThat(half.outcome()).isEqualTo(new Outcome.Retry(Duration.ofSeconds(1), error("b", "x")));
	}

	@Test
	void listenersMayAnswerAtTheSameTime() throws Exception {
		List<Trial> trials = IntStream.range(0, 20_000).mapToObj((i) -> trial(0, null, null, "a", "b")).toList();
		AtomicInteger arrived = new AtomicInteger();
		Thread other = new Thread(() -> answerAll(trials, guard("b"), arrived));
		other.start();
		answerAll(trials, guard("a"), arrived);
		other.join();
		assertThat(trials)
			.allSatisfy((trial) -> assertThat(trial.settlement().outcome()).isEqualTo(new Outcome.Done()));
	}

	/**
	 * Answer each attempt at the very moment at which another thread does.
	 */
	private static void answerAll(List<Trial> trials, ListenerGuard guard, AtomicInteger arrived) {
		int expected = 0;
		for (Trial trial : trials) {
			expected += 2;
			arrived.incrementAndGet();
			while (arrived.get() < expected) {
				Thread.onSpinWait();
			}
			trial.answered(guard, DONE, false);
		}
	}

	@Test
	void onlyThoseThatAreMissingAreCalled() {
		Trial trial = trial(1, "{\"a\":\"done\",\"b\":\"1\",\"c\":\"dead\"}", "old", "a", "b", "c", "d");
		assertThat(Stream.of("a", "b", "c", "d").filter((id) -> trial.wants(guard(id)))).containsExactly("b", "d");
		assertThat(trial.delivery(guard("b")).attempt()).isEqualTo(2);
		assertThat(trial.delivery(guard("d")).attempt()).isOne();
	}

	@Test
	void theNextAttemptIsWhenTheFirstListenerWantsIt() {
		assertThat(settled(trial(0, null, null, "a", "b"), later(Duration.ofMillis(10)), failed("x")).outcome())
			.isEqualTo(new Outcome.Retry(Duration.ofMillis(10), error("b", "x")));
		assertThat(settled(trial(0, null, null, "a", "b"), later(Duration.ofHours(1)), failed("x")).outcome())
			.isEqualTo(new Outcome.Retry(Duration.ofSeconds(1), error("b", "x")));
	}

	@Test
	void aDeadListenerLeavesTheEventToTheOthersAndHasTheLastWord() {
		Settlement dying = settled(trial(2, "{\"a\":\"2\"}", "old", "a", "b"), failed("deadly"), failed("harmless"));
		assertThat(dying.progress()).isEqualTo("{\"a\":\"dead\",\"b\":\"1\"}");
		assertThat(dying.outcome()).isEqualTo(new Outcome.Retry(Duration.ofSeconds(1), error("a", "deadly")));
		Settlement failing = settled(trial(3, dying.progress(), error("a", "deadly"), "a", "b"), null,
				failed("harmless"));
		assertThat(failing.outcome()).isEqualTo(new Outcome.Retry(Duration.ofSeconds(2), error("a", "deadly")));
		Settlement done = settled(trial(4, failing.progress(), error("a", "deadly"), "a", "b"), null, DONE);
		assertThat(done.progress()).isEqualTo("{\"a\":\"dead\",\"b\":\"done\"}");
		assertThat(done.outcome()).isEqualTo(new Outcome.Dead(error("a", "deadly")));
	}

	@Test
	void whenTheLastListenersDieTheEventDies() {
		Settlement dead = settled(trial(3, "{\"a\":\"dead\",\"b\":\"2\"}", error("a", "old"), "a", "b"), null,
				failed("new"));
		assertThat(dead.progress()).isEqualTo("{\"a\":\"dead\",\"b\":\"dead\"}");
		assertThat(dead.outcome()).isEqualTo(new Outcome.Dead(error("b", "new")));
	}

	@Test
	void aFailedProbeIsNotCounted() {
		Trial trial = trial(2, null, null, "a");
		trial.answered(guard("a"), failed("x"), true);
		assertThat(trial.settlement().attempts()).isEqualTo(2);
		assertThat(trial.settlement().outcome()).isInstanceOf(Outcome.Deferred.class);
	}

	@Test
	void theLastOneIsTheOneWithoutWhomAllAreDone() {
		Trial trial = trial(1, "{\"c\":\"done\"}", null, "a", "b", "c");
		assertThat(trial.isLast(guard("a"))).isFalse();
		assertThat(trial.progressWith(guard("a"))).isEqualTo("{\"a\":\"done\",\"c\":\"done\"}");
		trial.answered(guard("b"), DONE, false);
		assertThat(trial.isLast(guard("a"))).isTrue();
		assertThat(trial(1, "{\"b\":\"dead\",\"c\":\"done\"}", null, "a", "b", "c").isLast(guard("a")))
			.as("what is given up is not done")
			.isFalse();
	}

	private Settlement settled(Trial trial, @Nullable DeliveryResult... results) {
		for (int i = 0; i < results.length; i++) {
			DeliveryResult result = results[i];
			if (result != null) {
				trial.answered(this.guards.forEvent("", "thing.happened").get(i), result, false);
			}
		}
		return trial.settlement();
	}

	private static QueuedEvent counted(int attempts) {
		return QueuedEvent.of(QueuedEvents.row("e", attempts, 2, null, null));
	}

	private Trial trial(int attempts, @Nullable String progress, @Nullable String lastError, String... listeners) {
		EventRecord row = QueuedEvents.row("e", attempts, 0, progress, lastError);
		return trial(QueuedEvent.of(row), listeners);
	}

	private Trial trial(QueuedEvent event, String... listeners) {
		List<String> known = this.registry.endpoints().stream().map((endpoint) -> endpoint.id()).toList();
		Stream.of(listeners)
			.filter((id) -> !known.contains(id))
			.forEach((id) -> this.registry.register(FakeListener.called(id)));
		return new Trial(event, QueuedEvents.envelope("e"), this.guards.forEvent("", "thing.happened"),
				Progress.read(event.progress(), false), event.isSuspect(), RETRY.maxDeferral());
	}

	private ListenerGuard guard(String id) {
		return this.guards.forEvent("", "thing.happened")
			.stream()
			.filter((guard) -> guard.id().equals(id))
			.findFirst()
			.orElseThrow();
	}

	private static DeliveryResult failed(String message) {
		return new DeliveryResult.Failed(new IllegalStateException(message));
	}

	private static DeliveryResult later(Duration delay) {
		return new DeliveryResult.RetryAfter(delay);
	}

	private static String error(String listener, String message) {
		return listener + ": java.lang.IllegalStateException: " + message;
	}

}
