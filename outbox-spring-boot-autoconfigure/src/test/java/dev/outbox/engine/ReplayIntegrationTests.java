package dev.outbox.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import dev.outbox.dead.DeadEventQuery;
import dev.outbox.dead.EventNotDeadException;
import dev.outbox.dead.ReplayOptions;
import dev.outbox.store.EventRecord;
import dev.outbox.store.EventStatus;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of dead events that are delivered again.
 */
@EachDatabase
class ReplayIntegrationTests {

	private static final int THREADS = 50;

	private final OutboxNodes nodes;

	private final Outbox node;

	private final Rows rows;

	private final DeliveryLog log = new DeliveryLog();

	private final ExecutorService executor = Executors.newFixedThreadPool(THREADS);

	private volatile boolean failing = true;

	ReplayIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
		this.node = this.nodes.node("retry.max-attempts=2", "retry.initial-delay=0ms", "poll.interval=100ms",
				"breaker.failures=1000000");
		this.node.listeners().register("Placed", (event) -> {
			this.log.onEvent(event);
			if (this.failing) {
				throw new IllegalStateException("out of order");
			}
		});
		this.node.start();
		this.rows = new Rows(this.nodes, this.node);
	}

	@AfterEach
	void close() {
		this.executor.shutdownNow();
		this.nodes.close();
	}

	@Test
	void aReplayedEventStartsAfresh() {
		String event = dead(1).get(0);
		EventRecord before = this.rows.get(event);
		this.node.deadEvents().replay(event);
		this.rows.await(event, EventStatus.DEAD);
		assertThat(this.log.calls(event)).isEqualTo(4);
		EventRecord after = this.rows.get(event);
		assertThat(after.attempts()).isEqualTo(2);
		assertThat(after.claimNumber()).isGreaterThan(before.claimNumber() + 1);
		this.failing = false;
		this.node.deadEvents().replay(event);
		assertThat(this.rows.await(event, EventStatus.DONE).attempts()).isZero();
		assertThat(this.log.calls(event)).isEqualTo(5);
	}

	@Test
	void fiftyReplaysOfOneEventAreOneReplay() throws Exception {
		String event = dead(1).get(0);
		this.failing = false;
		CountDownLatch go = new CountDownLatch(1);
		List<Future<Boolean>> replays = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			replays.add(this.executor.submit(() -> {
				go.await();
				return replay(event);
			}));
		}
		go.countDown();
		assertThat(results(replays)).hasSize(THREADS).containsOnlyOnce(true);
		this.rows.await(event, EventStatus.DONE);
		assertThat(this.log.calls(event)).isEqualTo(3);
	}

	@Test
	void manyDeadEventsAreDeliveredAgainOnceEach() {
		List<String> events = dead(120);
		this.failing = false;
		assertThat(this.node.deadEvents()
			.replayAll(DeadEventQuery.builder().eventType("Placed").build(), ReplayOptions.upTo(1000))
			.replayed()).isEqualTo(120);
		this.rows.awaitAllFinished();
		assertThat(this.nodes.count("status = 1")).isEqualTo(120);
		assertThat(events).allSatisfy((event) -> assertThat(this.log.calls(event)).isEqualTo(3));
	}

	@Test
	void whatIsReplayedWhileItIsPurgedIsDeliveredOrGone() throws Exception {
		List<String> events = dead(60);
		this.failing = false;
		for (int i = 0; i < events.size(); i += 6) {
			List<String> some = events.subList(i, i + 6);
			CountDownLatch go = new CountDownLatch(1);
			Future<Integer> purge = this.executor.submit(() -> {
				go.await();
				return this.rows.admin().purge(EventStatus.DEAD, Duration.ZERO, 3);
			});
			List<Future<Boolean>> replays = some.stream()
				.map((event) -> this.executor.submit((Callable<Boolean>) () -> {
					go.await();
					return replay(event);
				}))
				.toList();
			go.countDown();
			List<Boolean> replayed = results(replays);
			purge.get(30, TimeUnit.SECONDS);
			for (int j = 0; j < some.size(); j++) {
				if (replayed.get(j)) {
					this.rows.await(some.get(j), EventStatus.DONE);
				}
				assertThat(this.rows.has(some.get(j))).isEqualTo(replayed.get(j));
				assertThat(this.log.calls(some.get(j))).isEqualTo(replayed.get(j) ? 3 : 2);
			}
		}
	}

	private boolean replay(String event) {
		try {
			this.node.deadEvents().replay(event);
			return true;
		}
		catch (EventNotDeadException ex) {
			return false;
		}
	}

	private List<String> dead(int count) {
		List<String> events = this.rows.write(this.node, "Placed", count);
		this.rows.awaitAllFinished();
		assertThat(this.nodes.count("status = 3")).isEqualTo(count);
		return events;
	}

	private static <T> List<T> results(List<Future<T>> futures) throws Exception {
		List<T> results = new ArrayList<>();
		for (Future<T> future : futures) {
			results.add(future.get(60, TimeUnit.SECONDS));
		}
		return results;
	}

}
