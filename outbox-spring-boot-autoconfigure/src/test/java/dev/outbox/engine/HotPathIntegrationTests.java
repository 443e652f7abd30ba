package dev.outbox.engine;

import java.lang.Thread.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import dev.outbox.dispatch.DispatchStatistics;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of the way from the commit straight to the listener.
 */
@EachDatabase
class HotPathIntegrationTests {

	private final OutboxNodes nodes;

	private final DeliveryLog log = new DeliveryLog();

	HotPathIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void eventsNeedNoPollerToBeDelivered() {
		Outbox node = this.nodes.node("poll.enabled=false");
		node.listeners().register("Placed", this.log);
		node.start();
		Rows rows = new Rows(this.nodes, node);
		List<String> events = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			events.addAll(rows.write(node, "Placed", 5));
		}
		rows.awaitAllFinished();
		this.log.assertOnceEach(events);
		assertThat(statistics(node).hotEnqueued()).isEqualTo(100);
		assertThat(statistics(node).coldEnqueued()).isZero();
	}

	@Test
	void whatTheHotQueueHasNoRoomForIsNotLost() {
		Outbox node = this.nodes.node("dispatch.hot-queue=1", "poll.floor=1ms");
		node.listeners().register("Placed", this.log);
		node.start();
		Rows rows = new Rows(this.nodes, node);
		List<String> events = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			events.addAll(rows.write(node, "Placed", 100));
		}
		this.log.await(events);
		rows.awaitAllFinished();
		this.log.assertOnceEach(events);
		DispatchStatistics statistics = statistics(node);
		assertThat(statistics.hotEnqueued()).isPositive();
		assertThat(statistics.hotRefused()).isGreaterThanOrEqualTo(100 * 99);
		assertThat(statistics.hotEnqueued() + statistics.hotRefused()).isEqualTo(10_000);
		assertThat(statistics.coldEnqueued()).isEqualTo(statistics.hotRefused());
	}

	/**
	 * A worker that looked for events now and then would be seen waiting for a time.
	 */
	@Test
	void idleWorkersWaitForNothingButAnEventAndTakeItAtOnce() {
		String prefix = "idle" + System.identityHashCode(this);
		Outbox node = this.nodes.node((builder) -> builder.name(prefix), "poll.enabled=false", "node.lease=1h",
				"node.heartbeat=10m");
		CyclicBarrier allFour = new CyclicBarrier(4);
		node.listeners().register("Placed", this.log);
		node.listeners().register("Together", (event) -> {
			allFour.await(30, TimeUnit.SECONDS);
			this.log.onEvent(event);
		});
		node.start();
		Rows rows = new Rows(this.nodes, node);
		awaitIdle(prefix);
		this.log.await(rows.write(node, "Placed"));
		awaitIdle(prefix);
		this.log.await(rows.write(node, "Together", 4));
		awaitIdle(prefix);
	}

	private static void awaitIdle(String prefix) {
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			List<State> states = Thread.getAllStackTraces()
				.keySet()
				.stream()
				.filter((thread) -> thread.getName().startsWith(prefix + "-worker-"))
				.map(Thread::getState)
				.toList();
			assertThat(states).hasSize(4).containsOnly(State.WAITING);
		});
	}

	private static DispatchStatistics statistics(Outbox node) {
		DispatchStatistics statistics = node.statistics();
		assertThat(statistics).isNotNull();
		return statistics;
	}

}
