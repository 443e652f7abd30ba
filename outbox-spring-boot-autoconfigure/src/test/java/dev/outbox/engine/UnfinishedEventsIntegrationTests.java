package dev.outbox.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.EventEnvelope;
import dev.outbox.store.EventRecord;
import dev.outbox.store.EventSelection;
import dev.outbox.store.EventStatus;
import dev.outbox.store.OutboxFixture;
import dev.outbox.store.Outcome;
import dev.outbox.store.Settlement;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that no unfinished event disappears, whatever happens to it and to others at the
 * same time: three nodes write, claim, give back, finish, fail, give up and replay by
 * chance, and finished events are purged as soon as they are there.
 * <p>
 * Each event is counted up when it becomes pending and down before it is finished, so it
 * is known at the end which ones must be there.
 */
@EachDatabase
class UnfinishedEventsIntegrationTests {

	private static final int NODES = 3;

	private static final int STEPS = 200;

	private final TestDataSource source;

	private final OutboxFixture tables;

	private final ExecutorService executor = Executors.newFixedThreadPool(NODES + 1);

	private final Map<String, Integer> pending = new ConcurrentHashMap<>();

	private final Queue<String> givenUp = new ConcurrentLinkedQueue<>();

	private final AtomicInteger replayed = new AtomicInteger();

	private volatile boolean finished;

	UnfinishedEventsIntegrationTests(TestDatabase database) {
		this.source = database.freshDatabase();
		this.tables = OutboxFixture.in(this.source);
	}

	@AfterEach
	void close() {
		this.executor.shutdownNow();
		this.source.close();
	}

	@Test
	void noUnfinishedEventDisappears() throws Exception {
		long seed = System.nanoTime();
		List<Future<?>> nodes = new ArrayList<>();
		for (int i = 1; i <= NODES; i++) {
			Node node = new Node(i, new Random(seed + i));
			nodes.add(this.executor.submit((Callable<Boolean>) node::run));
		}
		Future<Integer> purged = this.executor.submit(() -> purge(new Random(seed)));
		for (Future<?> node : nodes) {
			node.get(5, TimeUnit.MINUTES);
		}
		this.finished = true;
		assertThat(purged.get(1, TimeUnit.MINUTES)).isPositive();
		assertThat(this.replayed).hasPositiveValue();
		assertThat(this.pending).hasSizeGreaterThan(NODES * STEPS / 10).allSatisfy((event, count) -> {
			EventRecord row = this.tables.admin.get(event);
			boolean unfinished = row != null && row.status().isPending();
			assertThat(unfinished).as("event %s with seed %d: %s", event, seed, row).isEqualTo(count == 1);
		});
	}

	private int purge(Random random) {
		int purged = 0;
		while (!this.finished) {
			EventStatus status = random.nextBoolean() ? EventStatus.DONE : EventStatus.DEAD;
			purged += this.tables.admin.purge(status, Duration.ZERO, 1 + random.nextInt(3));
		}
		return purged;
	}

	/**
	 * Does one thing after the other by chance.
	 */
	private final class Node {

		private final long id;

		private final Random random;

		private final List<EventRecord> claimed = new ArrayList<>();

		Node(long id, Random random) {
			this.id = id;
			this.random = random;
		}

		boolean run() {
			for (int step = 0; step < STEPS; step++) {
				switch (this.random.nextInt(4)) {
					case 0 -> write();
					case 1 -> this.claimed.addAll(UnfinishedEventsIntegrationTests.this.tables.claims.claim(this.id,
							EventSelection.all(), 1 + this.random.nextInt(3)));
					case 2 -> replay();
					default -> end();
				}
			}
			return true;
		}

		private void write() {
			EventEnvelope event = OutboxFixture.event();
			count(event.eventId(), 1);
			UnfinishedEventsIntegrationTests.this.tables.append(event);
		}

		private void replay() {
			String event = UnfinishedEventsIntegrationTests.this.givenUp.poll();
			if (event != null && UnfinishedEventsIntegrationTests.this.tables.admin.replay(event)) {
				count(event, 1);
				UnfinishedEventsIntegrationTests.this.replayed.incrementAndGet();
			}
		}

		private void end() {
			if (this.claimed.isEmpty()) {
				return;
			}
			EventRecord event = this.claimed.remove(this.random.nextInt(this.claimed.size()));
			switch (this.random.nextInt(4)) {
				case 0 -> UnfinishedEventsIntegrationTests.this.tables.claims.release(List.of(event.claim()));
				case 1 -> settle(event, new Outcome.Retry(Duration.ZERO, "failed"));
				case 2 -> {
					count(event.eventId(), -1);
					settle(event, new Outcome.Done());
				}
				default -> {
					count(event.eventId(), -1);
					settle(event, new Outcome.Dead("given up"));
					UnfinishedEventsIntegrationTests.this.givenUp.add(event.eventId());
				}
			}
		}

		private void settle(EventRecord event, Outcome outcome) {
			assertThat(UnfinishedEventsIntegrationTests.this.tables.settlement
				.settle(List.of(new Settlement(event.claim(), outcome, event.attempts() + 1, null)))
				.recorded()).isEqualTo(1);
		}

		private void count(String event, int change) {
			UnfinishedEventsIntegrationTests.this.pending.merge(event, change, Integer::sum);
		}

	}

}
