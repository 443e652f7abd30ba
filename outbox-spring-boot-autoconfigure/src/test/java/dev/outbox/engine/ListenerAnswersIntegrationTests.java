package dev.outbox.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.DispatchResult;
import dev.outbox.EventEnvelope;
import dev.outbox.EventInterceptor;
import dev.outbox.OutboxListener;
import dev.outbox.RetryAfterException;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of what follows from what a listener, or an interceptor, answers.
 */
@EachDatabase(only = { TestDatabase.POSTGRESQL, TestDatabase.H2 })
class ListenerAnswersIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final long SECOND = 1_000_000;

	private final OutboxNodes nodes;

	private final Answering listener = new Answering();

	ListenerAnswersIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void anEventThatIsPutOffIsNotCountedAndComesBackInTime() {
		Outbox node = start("retry.max-deferral=1h");
		this.nodes.write(node, 1, "put.off");
		this.nodes.write(node, 1, "put.off.for.long");
		this.nodes.write(node, 1, "put.off.by.exception");
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 2 AND owner IS NULL") == 3);
		assertThat(this.nodes.count("attempts = 0 AND last_error IS NULL")).isEqualTo(3);
		assertThat(dueAfter("put.off")).isBetween(1799 * SECOND, 1801 * SECOND);
		assertThat(dueAfter("put.off.by.exception")).isBetween(1799 * SECOND, 1801 * SECOND);
		assertThat(dueAfter("put.off.for.long")).as("no longer than the outbox allows")
			.isBetween(3599 * SECOND, 3601 * SECOND);
	}

	@Test
	void aListenerHasItsOwnNumberOfAttemptsAndSomeFailuresAreHopeless() {
		Outbox node = start("retry.max-attempts=4", "breaker.failures=0");
		this.nodes.write(node, 1, "failing");
		this.nodes.write(node, 1, "failing.twice");
		this.nodes.write(node, 1, "hopeless");
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 3 AND owner IS NULL") == 3);
		assertThat(this.listener.calls).isEqualTo(Map.of("failing", 4, "failing.twice", 2, "hopeless", 1));
		assertThat(this.nodes.count("event_type = 'hopeless' AND attempts = 1 AND last_error LIKE '%IOException%'"))
			.isOne();
	}

	@Test
	void eventsThatFailTogetherDoNotComeBackTogether() {
		Outbox node = start("retry.initial-delay=1h", "retry.max-delay=1h", "breaker.failures=0");
		this.nodes.write(node, 40, "failing");
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 2 AND owner IS NULL") == 40);
		List<Long> due = this.nodes.jdbc()
			.queryForList("SELECT DISTINCT (available_at - created_at) / 60000000 FROM outbox_event", Long.class);
		assertThat(due).as("minutes")
			.hasSizeGreaterThan(10)
			.allSatisfy((minutes) -> assertThat(minutes).isBetween(29L, 91L));
	}

	@Test
	void aListenerThatTakesTooLongIsInterruptedAndItsAttemptCounts() {
		Outbox node = start("dispatch.listener-timeout=50ms", "dispatch.workers=1");
		this.nodes.write(node, 1, "stuck.once");
		this.nodes.write(node, 1, "quick");
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == 2);
		assertThat(this.listener.calls).containsEntry("stuck.once", 2).containsEntry("quick", 1);
		assertThat(this.nodes.count("event_type = 'stuck.once' AND attempts = 1")).isOne();
		assertThat(this.nodes.jdbc()
			.queryForObject("SELECT last_error FROM outbox_event WHERE event_type = 'stuck.once'", String.class))
			.contains("ListenerTimeoutException");
	}

	@Test
	void interceptorsGoAlongWithEveryDelivery() {
		List<String> heard = new CopyOnWriteArrayList<>();
		Outbox node = start(List.of(new Hearing("first", heard), new Hearing("second", heard)),
				"retry.initial-delay=1ms");
		this.nodes.write(node, 1, "failing.once");
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == 1);
		assertThat(heard).containsExactly("before first", "before second", "after second: failing.once",
				"after first: failing.once", "before first", "before second", "after second: null",
				"after first: null");
	}

	@Test
	void whatAnInterceptorThrowsBeforeIsTheListenersFailureAndAfterIsNothing() {
		AtomicInteger refusals = new AtomicInteger();
		EventInterceptor refusing = EventInterceptor.before((event) -> {
			switch (refusals.incrementAndGet()) {
				case 1 -> throw new AssertionError("not now");
				case 2 -> throw new IOException("not now");
				default -> {
				}
			}
		});
		EventInterceptor failing = EventInterceptor.after((event, error) -> {
			throw new StackOverflowError();
		});
		Outbox node = start(List.of(refusing, failing), "retry.initial-delay=1ms");
		this.nodes.write(node, 1, "quick");
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == 1);
		assertThat(this.nodes.count("attempts = 2 AND last_error LIKE '%not now%'")).isOne();
		assertThat(this.listener.calls).isEqualTo(Map.of("quick", 1));
	}

	@Test
	void anInterceptorMayAskForAnotherTime() {
		Outbox node = start(List.of(EventInterceptor.before((event) -> {
			throw new RetryAfterException(Duration.ofMinutes(30));
		})));
		this.nodes.write(node, 1, "quick");
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 2 AND owner IS NULL") == 1);
		assertThat(this.nodes.count("attempts = 0")).isOne();
		assertThat(dueAfter("quick")).isBetween(1799 * SECOND, 1801 * SECOND);
		assertThat(this.listener.calls).isEmpty();
	}

	private Outbox start(String... properties) {
		return start(List.of(), properties);
	}

	private Outbox start(List<EventInterceptor> interceptors, String... properties) {
		List<String> all = new ArrayList<>(
				List.of("retry.initial-delay=1ms", "retry.max-delay=2h", "poll.floor=5ms", "poll.interval=50ms"));
		all.addAll(List.of(properties));
		Outbox node = this.nodes.node((builder) -> builder.interceptors(interceptors), all.toArray(String[]::new));
		ListenerBeans.register(node, this.listener);
		node.start();
		return node;
	}

	/**
	 * The time from the end of the attempt until the next one, as good as it is known.
	 */
	private long dueAfter(String eventType) {
		Long micros = this.nodes.jdbc()
			.queryForObject("SELECT available_at - created_at FROM outbox_event WHERE event_type = ?", Long.class,
					eventType);
		return (micros != null) ? micros : 0;
	}

	static class Answering {

		private final Map<String, Integer> calls = new ConcurrentHashMap<>();

		private int called(EventEnvelope event) {
			return this.calls.merge(event.eventType(), 1, Integer::sum);
		}

		@OutboxListener("put.off")
		DispatchResult putOff(EventEnvelope event) {
			return DispatchResult.retryAfter(Duration.ofMinutes(30));
		}

		@OutboxListener("put.off.for.long")
		DispatchResult putOffForLong(EventEnvelope event) {
			return DispatchResult.retryAfter(Duration.ofDays(365));
		}

		@OutboxListener("put.off.by.exception")
		void putOffByException(EventEnvelope event) {
			throw new IllegalStateException(new RetryAfterException(Duration.ofMinutes(30)));
		}

		@OutboxListener({ "failing", "failing.once" })
		void failing(EventEnvelope event) {
			if (called(event) == 1 || event.eventType().equals("failing")) {
				throw new IllegalStateException(event.eventType());
			}
		}

		@OutboxListener(value = "failing.twice", maxAttempts = 2)
		void failingTwice(EventEnvelope event) {
			called(event);
			throw new IllegalStateException();
		}

		@OutboxListener(value = "hopeless", noRetryFor = IOException.class)
		void hopeless(EventEnvelope event) {
			called(event);
			throw new IllegalStateException(new UncheckedIOException(new IOException("hopeless")));
		}

		@OutboxListener("stuck.once")
		void stuckOnce(EventEnvelope event) throws InterruptedException {
			if (called(event) == 1) {
				new CountDownLatch(1).await();
			}
		}

		@OutboxListener("quick")
		void quick(EventEnvelope event) {
			called(event);
		}

	}

	private record Hearing(String name, List<String> heard) implements EventInterceptor {

		@Override
		public void beforeDispatch(EventEnvelope event) {
			this.heard.add("before " + this.name);
		}

		@Override
		public void afterDispatch(EventEnvelope event, @Nullable Throwable error) {
			this.heard.add("after " + this.name + ": " + ((error != null) ? error.getMessage() : null));
		}

	}

}
