package dev.outbox.engine;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import dev.outbox.store.EventRecord;
import dev.outbox.store.EventStatus;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of several nodes that share the work. Where nothing may depend on a lease, it is
 * an hour.
 */
@EachDatabase
class SeveralNodesIntegrationTests {

	private static final String[] LONG_LEASE = { "node.lease=1h", "node.heartbeat=10m", "poll.interval=50ms" };

	private final OutboxNodes nodes;

	private final DeliveryLog first = new DeliveryLog();

	private final DeliveryLog second = new DeliveryLog();

	SeveralNodesIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void eventsOfAProcessThatOnlyWritesAreSharedByTheOthers() {
		Outbox writer = this.nodes.node("dispatch.enabled=false");
		writer.listeners().register("Placed", this.first);
		writer.start();
		Rows rows = new Rows(this.nodes, writer);
		List<String> events = rows.write(writer, "Placed", 200);
		assertThat(this.nodes.count("owner IS NULL AND status = 0")).isEqualTo(200);
		assertThat(writer.nodeId()).isNull();
		CountDownLatch both = new CountDownLatch(2);
		DeliveryLog third = new DeliveryLog();
		for (DeliveryLog log : List.of(this.second, third)) {
			CountDownLatch own = new CountDownLatch(1);
			Outbox node = this.nodes.node("dispatch.cold-queue=10", "poll.batch=5", "poll.floor=1ms");
			node.listeners().register("Placed", (event) -> {
				log.onEvent(event);
				if (own.getCount() > 0) {
					own.countDown();
					both.countDown();
				}
				both.await(30, TimeUnit.SECONDS);
			});
			node.start();
		}
		rows.awaitAllFinished();
		assertThat(this.first.calls()).isZero();
		assertThat(this.second.calls()).isPositive();
		assertThat(third.calls()).isPositive();
		assertThat(this.second.calls() + third.calls()).isEqualTo(200);
		assertThat(events).allMatch((event) -> this.second.calls(event) + third.calls(event) == 1);
	}

	@Test
	void whatANodeDoesNotKnowIsLeftForOneThatDoes() {
		Outbox old = start(this.first, "Placed");
		Rows rows = new Rows(this.nodes, old);
		String unknown = rows.write(old, "Shipped");
		rows.await(rows.write(old, "Placed"), EventStatus.DONE);
		assertThat(rows.get(unknown).claimNumber()).isZero();
		start(this.second, "Shipped");
		EventRecord row = rows.await(unknown, EventStatus.DONE);
		assertThat(row.attempts()).isZero();
		assertThat(row.claimNumber()).isEqualTo(1);
		this.second.assertOnceEach(Set.of(unknown));
	}

	@Test
	void aNodeThatStopsGivesBackWhatItHasNotStarted() throws Exception {
		CountDownLatch started = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		Outbox stopping = this.nodes.node("dispatch.workers=1", "node.lease=1h", "node.heartbeat=10m");
		stopping.listeners().register("Placed", (event) -> {
			this.first.onEvent(event);
			started.countDown();
			goOn.await(30, TimeUnit.SECONDS);
		});
		stopping.start();
		Rows rows = new Rows(this.nodes, stopping);
		List<String> events = rows.write(stopping, "Placed", 150);
		assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
		Thread stop = new Thread(stopping::stop);
		stop.start();
		start(this.second, "Placed");
		this.second.await(events.stream().filter((event) -> this.first.calls(event) == 0).toList());
		goOn.countDown();
		stop.join(30_000);
		rows.awaitAllFinished();
		assertThat(this.first.calls()).isEqualTo(1);
		assertThat(this.second.calls()).isEqualTo(149);
		assertThat(this.nodes.jdbc().queryForList("SELECT node_id FROM outbox_node")).hasSize(1);
		assertThat(this.nodes.count("reclaims > 0")).isZero();
	}

	@Test
	void theOnlyNodeTakesOverAtOnceWhatAnEarlierStartLeftBehind() {
		Abandoned earlier = new Abandoned(this.nodes, "mode=single-node", "node.lease=1h", "node.heartbeat=10m");
		List<String> events = earlier.abandonInMidWork(20);
		Outbox next = this.nodes.node("mode=single-node", "node.lease=1h", "node.heartbeat=10m", "poll.interval=50ms");
		next.listeners().register("Placed", this.second);
		next.start();
		new Rows(this.nodes, next).awaitAllFinished();
		this.second.assertOnceEach(events);
		assertThat(next.nodeId()).isNotEqualTo(earlier.nodeId());
		assertThat(this.nodes.count("reclaims = 1")).isEqualTo(20);
		earlier.end();
	}

	private Outbox start(DeliveryLog log, String eventType) {
		Outbox node = this.nodes.node(LONG_LEASE);
		node.listeners().register(eventType, log);
		node.start();
		return node;
	}

}
