package dev.outbox.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

/**
 * Tests that neither a queue without room nor a stop loses or delays an event.
 */
@EachDatabase
class StopIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final String LONG_LEASE = "node.lease=10h";

	private final OutboxNodes nodes;

	private final AtomicInteger stuck = new AtomicInteger();

	private final CountDownLatch goOn = new CountDownLatch(1);

	private final List<String> delivered = new CopyOnWriteArrayList<>();

	StopIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.goOn.countDown();
		this.nodes.close();
	}

	@Test
	void whatHasNoPlaceInTheQueueIsDeliveredAllTheSame() {
		Outbox node = node("dispatch.hot-queue=1", "dispatch.cold-queue=10", "poll.floor=1ms");
		node.start();
		for (int i = 0; i < 10; i++) {
			this.nodes.write(node, 30, "quick");
		}
		awaitDone(300);
		assertThat(this.delivered).hasSize(300).doesNotHaveDuplicates();
		assertThat(node.statistics()).isNotNull();
		assertThat(node.statistics().hotRefused()).isPositive();
	}

	@Test
	void aStoppingNodeGivesBackAtOnceWhatItHasNotStartedAndFinishesWhatItHas() {
		Outbox node = node("dispatch.workers=1", "poll.interval=50ms", LONG_LEASE);
		node.start();
		this.nodes.write(node, 1, "stuck");
		await().atMost(PATIENCE).untilAtomic(this.stuck, is(1));
		this.nodes.write(node, 20, "quick");
		this.nodes.write(node, 120, "quick");
		await().atMost(PATIENCE).until(() -> this.nodes.count("owner IS NOT NULL") == 141);
		CompletableFuture<Void> stopping = CompletableFuture.runAsync(node::stop);
		await().atMost(PATIENCE).until(() -> this.nodes.count("owner IS NULL AND status = 0") == 140);
		this.nodes.write(node, 1, "quick");
		assertThat(this.nodes.count("owner IS NULL AND status = 0")).as("a stopping node takes nothing").isEqualTo(141);
		assertThat(stopping).as("the listener is still running").isNotDone();
		Outbox other = node(LONG_LEASE);
		other.start();
		awaitDone(141);
		assertThat(stopping).isNotDone();
		this.goOn.countDown();
		stopping.join();
		assertThat(this.nodes.count("status = 1 AND owner IS NULL")).as("its outcome is recorded").isEqualTo(142);
		assertThat(this.stuck).hasValue(1);
		assertThat(this.delivered).hasSize(141).doesNotHaveDuplicates();
		assertThat(registered()).as("it has signed off").isOne();
		assertThat(this.nodes.count("reclaims > 0")).isZero();
	}

	@Test
	void aListenerThatTakesLongerThanAStopMayIsInterruptedWhichIsNoFailureOfTheEvent() {
		Outbox node = node("shutdown.drain=50ms", "dispatch.workers=1", LONG_LEASE);
		node.start();
		this.nodes.write(node, 1, "stuck");
		await().atMost(PATIENCE).untilAtomic(this.stuck, is(1));
		node.stop();
		assertThat(this.nodes.count("status = 2 AND attempts = 0 AND owner IS NULL")).isOne();
		assertThat(registered()).isZero();
	}

	private Outbox node(String... properties) {
		Outbox node = this.nodes.node(properties);
		node.listeners().register("quick", (event) -> this.delivered.add(event.eventId()));
		node.listeners().register("stuck", (event) -> {
			this.stuck.incrementAndGet();
			this.goOn.await();
		});
		return node;
	}

	private Integer registered() {
		return this.nodes.jdbc().queryForObject("SELECT COUNT(*) FROM outbox_node", Integer.class);
	}

	private void awaitDone(int count) {
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == count);
	}

}
