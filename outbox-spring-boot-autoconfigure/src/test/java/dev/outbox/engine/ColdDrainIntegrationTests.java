package dev.outbox.engine;

import java.lang.Thread.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that a backlog is delivered in one go: a full batch is followed by the next, and
 * a poller that was turned away for want of room goes on when there is some. Its next
 * turn of itself would be an hour away.
 */
@EachDatabase
class ColdDrainIntegrationTests {

	private static final int PER_TRANSACTION = 1000;

	private final int transactions;

	private final OutboxNodes nodes;

	private final DeliveryLog log = new DeliveryLog();

	ColdDrainIntegrationTests(TestDatabase database) {
		this.transactions = (database == TestDatabase.POSTGRESQL) ? 100 : 10;
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void aBacklogIsDeliveredWithoutWaitingForTheNextPoll() {
		Outbox writer = this.nodes.node("dispatch.enabled=false");
		Rows rows = new Rows(this.nodes, writer);
		List<String> events = new ArrayList<>();
		for (int i = 0; i < this.transactions; i++) {
			events.addAll(rows.write(writer, "Placed", PER_TRANSACTION));
		}
		CountDownLatch goOn = new CountDownLatch(1);
		String name = "drain" + System.identityHashCode(this);
		Outbox node = this.nodes.node((builder) -> builder.name(name), "poll.interval=1h", "poll.floor=1h");
		node.listeners().register("Placed", (event) -> {
			goOn.await();
			this.log.onEvent(event);
		});
		node.start();
		await().atMost(Duration.ofSeconds(30)).until(() -> coldEnqueued(node) >= 1000 && isWaiting(name + "-poll"));
		goOn.countDown();
		rows.awaitAllFinished();
		this.log.assertOnceEach(events);
		assertThat(coldEnqueued(node)).isEqualTo(events.size());
	}

	private static long coldEnqueued(Outbox node) {
		return Objects.requireNonNull(node.statistics()).coldEnqueued();
	}

	private static boolean isWaiting(String threadName) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.anyMatch((thread) -> thread.getName().equals(threadName) && thread.getState() == State.TIMED_WAITING);
	}

}
