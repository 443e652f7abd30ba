package dev.outbox.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.DispatchResult;
import dev.outbox.EventEnvelope;
import dev.outbox.OutboxListener;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of listeners that answer later.
 */
@EachDatabase(only = TestDatabase.H2)
class AsyncListenersIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final OutboxNodes nodes;

	private final Outbox node;

	private final Asynchronous listener = new Asynchronous();

	AsyncListenersIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
		this.node = this.nodes.node("retry.initial-delay=1ms", "retry.max-delay=10ms", "poll.floor=5ms",
				"poll.interval=50ms", "dispatch.workers=1");
		ListenerBeans.register(this.node, this.listener);
		this.node.start();
	}

	@AfterEach
	void close() {
		this.listener.open.forEach((answer) -> answer.complete(DispatchResult.done()));
		this.nodes.close();
	}

	@Test
	void oneWorkerCallsManyAndEachIsSettledWhenItsStageCompletes() {
		this.nodes.write(this.node, 20, "later");
		await().atMost(PATIENCE).until(() -> this.listener.open.size() == 20);
		assertThat(this.nodes.count("status = 0 AND owner IS NOT NULL")).isEqualTo(20);
		this.listener.open.subList(3, 8).forEach((answer) -> answer.complete(DispatchResult.done()));
		awaitDone(5);
		assertThat(this.nodes.count("status = 0 AND owner IS NOT NULL")).isEqualTo(15);
		this.listener.open.forEach((answer) -> answer.complete(DispatchResult.done()));
		awaitDone(20);
	}

	@Test
	void noMoreAreOnTheirWayThanTheListenerSays() {
		this.nodes.write(this.node, 10, "bounded");
		for (int i = 0; i < 10; i++) {
			int next = i;
			await().atMost(PATIENCE).until(() -> this.listener.open.size() > next);
			this.listener.open.get(i).complete(DispatchResult.done());
		}
		awaitDone(10);
		assertThat(this.listener.mostInFlight).hasValue(2);
	}

	@Test
	void aListenerWithAllItsCallsUnderWayHoldsUpNoOther() {
		this.nodes.write(this.node, 10, "bounded");
		await().atMost(PATIENCE).until(() -> this.listener.open.size() == 2);
		this.nodes.write(this.node, 1, "later");
		await().atMost(PATIENCE).until(() -> this.listener.open.size() == 3);
		this.listener.open.get(2).complete(DispatchResult.done());
		awaitDone(1);
		for (int i = 0; i < 11; i++) {
			int next = i;
			await().atMost(PATIENCE).until(() -> this.listener.open.size() > next);
			this.listener.open.get(i).complete(DispatchResult.done());
		}
		awaitDone(11);
	}

	/**
	 * More of its events than there are places in the queues, which would otherwise keep
	 * all others out.
	 */
	@Test
	void whatWaitsForAStuckListenerIsGivenBackUntilItIsNot() {
		this.nodes.write(this.node, 1500, "bounded");
		await().atMost(PATIENCE).until(() -> this.listener.open.size() == 2);
		await().atMost(PATIENCE).until(() -> this.nodes.count("owner IS NOT NULL") == 2);
		this.nodes.write(this.node, 1, "later");
		await().atMost(PATIENCE).until(() -> this.listener.open.size() == 3);
		this.listener.open.get(2).complete(DispatchResult.done());
		awaitDone(1);
		assertThat(this.listener.mostInFlight.get()).isLessThanOrEqualTo(3);
		this.listener.answerAtOnce = true;
		this.listener.open.forEach((answer) -> answer.complete(DispatchResult.done()));
		awaitDone(1501);
	}

	@Test
	void aStageThatFailsIsTriedAgain() {
		this.nodes.write(this.node, 1, "later");
		answer(1).completeExceptionally(new IllegalStateException("once"));
		answer(2).completeExceptionally(new AssertionError("twice"));
		answer(3).complete(DispatchResult.done());
		awaitDone(1);
		assertThat(this.nodes.count("attempts = 2")).isOne();
	}

	@Test
	void aStageMayAskForAnotherTime() {
		this.nodes.write(this.node, 1, "later");
		answer(1).complete(DispatchResult.retryAfter(Duration.ofMillis(1)));
		answer(2).complete(DispatchResult.done());
		awaitDone(1);
		assertThat(this.nodes.count("attempts = 0")).isOne();
	}

	@Test
	void aListenerThatThrowsInsteadOfAnsweringFails() {
		this.nodes.write(this.node, 2, "unready");
		awaitDone(2);
		assertThat(this.nodes.count("attempts = 2")).isEqualTo(2);
		assertThat(this.listener.unready.values()).containsOnly(3);
	}

	@Test
	void stoppingWaitsForAnswers() {
		this.nodes.write(this.node, 3, "later");
		await().atMost(PATIENCE).until(() -> this.listener.open.size() == 3);
		CompletableFuture<Void> stopping = CompletableFuture.runAsync(this.node::stop);
		await().atMost(PATIENCE)
			.until(() -> Thread.getAllStackTraces()
				.keySet()
				.stream()
				.map(Thread::getName)
				.noneMatch("outbox-verify"::equals));
		assertThat(stopping).as("nothing is taken any more").isNotDone();
		this.listener.open.forEach((answer) -> answer.complete(DispatchResult.done()));
		stopping.join();
		assertThat(this.nodes.count("status = 1")).isEqualTo(3);
		assertThat(this.nodes.jdbc().queryForObject("SELECT COUNT(*) FROM outbox_node", Integer.class)).isZero();
	}

	private CompletableFuture<DispatchResult> answer(int number) {
		await().atMost(PATIENCE).until(() -> this.listener.open.size() == number);
		return this.listener.open.get(number - 1);
	}

	private void awaitDone(int count) {
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == count);
	}

	static class Asynchronous {

		private final List<CompletableFuture<DispatchResult>> open = new CopyOnWriteArrayList<>();

		private final Map<String, Integer> unready = new ConcurrentHashMap<>();

		private final AtomicInteger mostInFlight = new AtomicInteger();

		private volatile boolean answerAtOnce;

		@OutboxListener("later")
		CompletableFuture<DispatchResult> later(EventEnvelope event) {
			return answer();
		}

		@OutboxListener(value = "bounded", maxInFlight = 2)
		CompletionStage<DispatchResult> bounded(EventEnvelope event) {
			this.mostInFlight
				.accumulateAndGet(1 + (int) this.open.stream().filter((answer) -> !answer.isDone()).count(), Math::max);
			return answer();
		}

		@OutboxListener("unready")
		@Nullable CompletableFuture<Void> unready(EventEnvelope event) {
			return switch (this.unready.merge(event.eventId(), 1, Integer::sum)) {
				case 1 -> throw new IllegalStateException("not ready");
				case 2 -> null;
				default -> CompletableFuture.completedFuture(null);
			};
		}

		private CompletableFuture<DispatchResult> answer() {
			if (this.answerAtOnce) {
				return CompletableFuture.completedFuture(DispatchResult.done());
			}
			CompletableFuture<DispatchResult> answer = new CompletableFuture<>();
			this.open.add(answer);
			return answer;
		}

	}

}
