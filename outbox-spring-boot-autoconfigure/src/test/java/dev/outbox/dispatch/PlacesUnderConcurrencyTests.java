package dev.outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import dev.outbox.EventEnvelope;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.transaction.TransactionStatus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * However transactions end, events are delivered, leases are lost and nodes stop: at the
 * end every place of the hot queue is free, none is free twice, and no claim is known any
 * more.
 */
@Timeout(120)
class PlacesUnderConcurrencyTests {

	private static final int PLACES = 20;

	private static final int WRITERS = 6;

	private final DispatchFixture node = DispatchFixture.on(TestDatabase.H2, "dispatch.hot-queue=" + PLACES,
			"dispatch.hot-max-per-transaction=5", "dispatch.hot-max-bytes=40B", "dispatch.cold-queue=30",
			"dispatch.workers=3", "retry.initial-delay=1ms", "retry.max-delay=5ms", "retry.max-attempts=1000",
			"node.lease=1m", "breaker.failures=0");

	private final Set<String> committed = ConcurrentHashMap.newKeySet();

	private final Set<String> undone = ConcurrentHashMap.newKeySet();

	private final Set<String> delivered = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean over = new AtomicBoolean();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	@BeforeEach
	void start() {
		this.node.listeners.register("thing.happened", (event) -> {
			if (ThreadLocalRandom.current().nextInt(10) == 0) {
				throw new IllegalStateException("now and then");
			}
			this.delivered.add(event.eventId());
		});
		this.node.dispatcher.start();
	}

	@AfterEach
	void stop() {
		this.over.set(true);
		this.node.close();
		this.threads.shutdownNow();
	}

	@Test
	void nothingIsLeftBehindWhenTransactionsEndInAllWaysAndLeasesAreLost() throws Exception {
		List<Future<?>> background = List.of(repeat(this::poll), repeat(this::takeBack), repeat(this::dieAndComeBack));
		join(write(80));
		await().atMost(Duration.ofSeconds(60))
			.until(() -> this.delivered.containsAll(this.committed) && unfinished() == 0);
		this.over.set(true);
		join(background);
		assertThat(this.committed).hasSizeGreaterThan(100);
		assertThat(this.delivered).doesNotContainAnyElementsOf(this.undone);
		await().atMost(Duration.ofSeconds(30)).until(() -> this.node.dispatcher.inFlight() == 0);
		assertThat(this.node.freePlaces()).isEqualTo(PLACES);
	}

	@Test
	void nothingIsLeftBehindWhenTheNodeStopsWhileTransactionsGoOn() throws Exception {
		Future<?> poller = repeat(this::poll);
		List<Future<?>> writers = write(30);
		await().until(() -> this.delivered.size() > 50);
		assertThat(this.node.dispatcher.stop(Duration.ofSeconds(30))).isTrue();
		join(writers);
		this.over.set(true);
		join(List.of(poller));
		assertThat(this.node.dispatcher.inFlight()).isZero();
		this.node.hotPath().open();
		assertThat(this.node.freePlaces()).isEqualTo(PLACES);
		assertThat(this.delivered).doesNotContainAnyElementsOf(this.undone);
	}

	private List<Future<?>> write(int transactions) {
		List<Future<?>> writers = new ArrayList<>();
		for (int i = 0; i < WRITERS; i++) {
			writers.add(this.threads.submit(() -> {
				for (int j = 0; j < transactions; j++) {
					writeInTransaction();
				}
			}));
		}
		return writers;
	}

	private void writeInTransaction() {
		List<String> written = new ArrayList<>();
		boolean commit = ThreadLocalRandom.current().nextInt(3) > 0;
		this.node.transactions.executeWithoutResult((status) -> {
			written.addAll(writeSome());
			if (ThreadLocalRandom.current().nextBoolean()) {
				this.undone.addAll(writeAndUndo(status));
			}
			written.addAll(writeSome());
			if (!commit) {
				status.setRollbackOnly();
			}
		});
		(commit ? this.committed : this.undone).addAll(written);
	}

	private List<String> writeAndUndo(TransactionStatus status) {
		Object savepoint = status.createSavepoint();
		List<String> written = writeSome();
		status.rollbackToSavepoint(savepoint);
		return written;
	}

	private List<String> writeSome() {
		List<EventEnvelope> events = new ArrayList<>();
		for (int i = ThreadLocalRandom.current().nextInt(1, 4); i > 0; i--) {
			events.add(EventEnvelope.ofJson("thing.happened", "{}"));
		}
		return this.node.writer.writeAll(events);
	}

	private void poll() {
		Long nodeId = this.node.membership.liveId();
		if (nodeId != null) {
			this.node.dispatcher.offer(this.node.outbox.claims.claim(nodeId, this.node.dispatcher.claimable(),
					Math.min(10, this.node.dispatcher.room())));
		}
		pause(1);
	}

	private void takeBack() {
		this.node.outbox.nodeClaims.reclaim(this.node.outbox.nodes.deadAmong(this.node.outbox.nodeClaims.owners()),
				100);
		pause(5);
	}

	private void dieAndComeBack() {
		this.node.outbox.jdbc.update("UPDATE outbox_node SET dead_at = 1 WHERE dead_at IS NULL");
		this.node.membership.beat();
		pause(200);
	}

	private static void pause(long millis) {
		LockSupport.parkNanos(millis * 1_000_000);
	}

	private Future<?> repeat(Runnable work) {
		return this.threads.submit(() -> {
			while (!this.over.get()) {
				work.run();
			}
		});
	}

	private static void join(List<Future<?>> work) throws Exception {
		for (Future<?> each : work) {
			each.get();
		}
	}

	private long unfinished() {
		Long count = this.node.outbox.jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status IN (0, 2)",
				Long.class);
		return (count != null) ? count : 0;
	}

}
