package dev.outbox.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;

import dev.outbox.store.EventRecord;
import dev.outbox.store.EventStatus;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of nodes that were declared dead and are not.
 */
@EachDatabase
class LateNodeIntegrationTests {

	private static final int EVENTS = 30;

	private final OutboxNodes nodes;

	private final DeliveryLog others = new DeliveryLog();

	LateNodeIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void aNodeThatLearnsOfItsDeathDropsItsQueueAndComesBackUnderANewId() {
		DeliveryLog log = new DeliveryLog();
		CountDownLatch goOn = new CountDownLatch(1);
		Outbox late = this.nodes.node("dispatch.workers=1", "poll.enabled=false", "node.reaper=false",
				"node.heartbeat=50ms");
		late.listeners().register("Placed", (event) -> {
			log.onEvent(event);
			goOn.await();
		});
		late.start();
		Rows rows = new Rows(this.nodes, late);
		List<String> events = rows.write(late, "Placed", EVENTS);
		await().atMost(Duration.ofSeconds(30)).until(() -> log.calls() == 1);
		String begun = log.events().iterator().next();
		long oldId = nodeId(late);
		declareDead(oldId);
		startAnother();
		rows.awaitAllFinished();
		this.others.assertOnceEach(events);
		await().atMost(Duration.ofSeconds(30)).until(() -> late.nodeId() != null && nodeId(late) != oldId);
		List<EventRecord> before = events.stream().map(rows::get).toList();
		goOn.countDown();
		await().atMost(Duration.ofSeconds(30)).until(() -> fenced(late) == 1);
		assertThat(events.stream().map(rows::get).toList()).isEqualTo(before);
		String next = rows.write(late, "Placed");
		rows.await(next, EventStatus.DONE);
		log.assertOnceEach(Set.of(begun, next));
		assertThat(this.nodes.jdbc().queryForList("SELECT node_id FROM outbox_node WHERE dead_at IS NULL", Long.class))
			.contains(nodeId(late))
			.doesNotContain(oldId);
	}

	/**
	 * The node cannot learn that it was declared dead, but its own clock tells it that
	 * this may have happened.
	 */
	@Test
	void aNodeThatIsCutOffStartsNothingOnceItsLeaseMayBeOver() {
		Abandoned late = new Abandoned(this.nodes, "dispatch.workers=1", "poll.enabled=false", "node.reaper=false",
				"node.heartbeat=100ms", "node.lease=800ms");
		List<String> events = late.abandonInMidWork(EVENTS);
		String begun = late.log().events().iterator().next();
		startAnother();
		await().atMost(Duration.ofSeconds(30)).until(() -> this.others.size() == EVENTS);
		await().atMost(Duration.ofSeconds(30)).until(() -> this.nodes.count("status = 1") == EVENTS);
		List<EventRecord> before = rowsOf(events);
		late.letListenersReturn();
		late.reconnect();
		await().atMost(Duration.ofSeconds(30))
			.until(() -> late.node().nodeId() != null && nodeId(late.node()) != late.nodeId());
		await().atMost(Duration.ofSeconds(30)).until(() -> fenced(late.node()) == 1);
		assertThat(rowsOf(events)).isEqualTo(before);
		Rows rows = new Rows(this.nodes, late.node());
		String next = rows.write(late.node(), "Placed");
		rows.await(next, EventStatus.DONE);
		late.log().assertOnceEach(Set.of(begun, next));
		this.others.assertOnceEach(events);
	}

	private List<EventRecord> rowsOf(List<String> events) {
		Rows rows = new Rows(this.nodes, this.nodes.node("dispatch.enabled=false"));
		return events.stream().map(rows::get).toList();
	}

	private void startAnother() {
		Outbox node = this.nodes.node("node.heartbeat=50ms", "poll.interval=100ms");
		node.listeners().register("Placed", this.others);
		node.start();
	}

	private void declareDead(long nodeId) {
		assertThat(this.nodes.jdbc().update("UPDATE outbox_node SET dead_at = beat_at WHERE node_id = ?", nodeId))
			.isEqualTo(1);
	}

	private static long nodeId(Outbox node) {
		return Objects.requireNonNull(node.nodeId());
	}

	private static long fenced(Outbox node) {
		return Objects.requireNonNull(node.statistics()).fenced();
	}

}
