package dev.outbox.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import dev.outbox.EventEnvelope;
import dev.outbox.EventsFailedException;
import dev.outbox.OutboxListener;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of listeners that take many events with one call.
 */
@EachDatabase(only = { TestDatabase.POSTGRESQL, TestDatabase.H2 })
class BatchListenersIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final OutboxNodes nodes;

	private final Outbox node;

	BatchListenersIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
		this.node = this.nodes.node("retry.initial-delay=1ms", "retry.max-delay=10ms", "poll.floor=5ms",
				"poll.interval=50ms", "dispatch.workers=2");
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void whatWaitsIsDeliveredInBatchesOfTheSizeAtMost() {
		Batches listener = new Batches((ids) -> Set.of());
		ListenerBeans.register(this.node, listener);
		this.nodes.write(this.node, 50, "small");
		this.node.start();
		awaitDone(50);
		assertThat(listener.batches).allSatisfy((batch) -> assertThat(batch).hasSizeBetween(1, 4));
		assertThat(listener.batches).as("they are not delivered one by one").hasSizeLessThan(40);
		assertThat(listener.batches.stream().flatMap(List::stream)).hasSize(50).doesNotHaveDuplicates();
	}

	@Test
	void aBatchIsWaitedForAsLongAsTheListenerSays() {
		Batches listener = new Batches((ids) -> Set.of());
		ListenerBeans.register(this.node, listener);
		this.node.start();
		for (int i = 0; i < 10; i++) {
			this.nodes.write(this.node, 1, "patient");
		}
		awaitDone(10);
		assertThat(listener.batches).hasSizeBetween(1, 2);
	}

	@Test
	void aBatchThatIsStillWaitedForIsDeliveredWhenTheNodeStops() {
		Batches listener = new Batches((ids) -> Set.of());
		ListenerBeans.register(this.node, listener);
		this.node.start();
		this.nodes.write(this.node, 3, "patient");
		await().atMost(PATIENCE)
			.until(() -> this.node.statistics() != null && this.node.statistics().hotEnqueued() == 3);
		this.node.stop();
		assertThat(this.nodes.count("status = 1") + this.nodes.count("status = 0 AND owner IS NULL")).isEqualTo(3);
		assertThat(this.nodes.count("status = 1")).isEqualTo(listener.batches.stream().mapToInt(List::size).sum());
	}

	@Test
	void onlyThoseThatTheListenerNamesAreRetried() {
		Map<String, Integer> calls = new ConcurrentHashMap<>();
		Set<String> failing = ConcurrentHashMap.newKeySet();
		Batches listener = new Batches((ids) -> {
			ids.forEach((id) -> calls.merge(id, 1, Integer::sum));
			ids.stream().filter((id) -> failing.size() < 5).findFirst().ifPresent(failing::add);
			return ids.stream().filter((id) -> failing.contains(id) && calls.get(id) < 3).toList();
		});
		ListenerBeans.register(this.node, listener);
		this.nodes.write(this.node, 40, "small");
		this.node.start();
		awaitDone(40);
		assertThat(failing).hasSize(5).allSatisfy((id) -> assertThat(calls.get(id)).isEqualTo(3));
		assertThat(calls.values()).filteredOn((count) -> count == 1).hasSize(35);
		assertThat(this.nodes.count("attempts = 2")).isEqualTo(5);
		assertThat(this.nodes.count("attempts = 0")).isEqualTo(35);
	}

	@Test
	void anEventThatCannotBeReadDiesAloneAndTheOthersOfItsBatchAreDelivered() {
		Numbers listener = new Numbers();
		ListenerBeans.register(this.node, listener);
		this.nodes.transactions().executeWithoutResult((status) -> {
			for (int i = 0; i < 20; i++) {
				this.node.writer().write("number", (i == 7) ? "{\"value\":\"seven\"}" : "{\"value\":" + i + "}");
			}
		});
		this.node.start();
		awaitDone(19);
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 3 AND owner IS NULL") == 1);
		assertThat(listener.values).hasSize(19).doesNotContain(7).doesNotHaveDuplicates();
	}

	private void awaitDone(int count) {
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == count);
	}

	static class Batches {

		private final List<List<String>> batches = new CopyOnWriteArrayList<>();

		private final Function<List<String>, ? extends Collection<String>> failing;

		Batches(Function<List<String>, ? extends Collection<String>> failing) {
			this.failing = failing;
		}

		@OutboxListener(value = "small", batchSize = 4)
		void small(List<EventEnvelope> events) {
			called(events);
		}

		@OutboxListener(value = "patient", batchSize = 5, batchWait = "1h")
		void patient(List<EventEnvelope> events) {
			called(events);
		}

		private void called(List<EventEnvelope> events) {
			List<String> ids = events.stream().map(EventEnvelope::eventId).toList();
			this.batches.add(ids);
			Collection<String> failed = this.failing.apply(ids);
			if (!failed.isEmpty()) {
				throw new EventsFailedException(failed, new IllegalStateException("not these"));
			}
		}

	}

	static class Numbers {

		private final List<Integer> values = new CopyOnWriteArrayList<>();

		@OutboxListener("number")
		void on(List<Number> numbers) {
			numbers.forEach((number) -> this.values.add(number.value()));
		}

		record Number(int value) {

		}

	}

}
