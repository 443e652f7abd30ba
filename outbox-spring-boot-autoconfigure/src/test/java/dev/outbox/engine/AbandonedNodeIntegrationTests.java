package dev.outbox.engine;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a committed event is delivered whatever becomes of the node that wrote and
 * claimed it.
 */
@EachDatabase
class AbandonedNodeIntegrationTests {

	private static final String[] SHORT_LEASE = { "node.lease=800ms", "node.heartbeat=100ms", "poll.interval=100ms" };

	private final OutboxNodes nodes;

	AbandonedNodeIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void anotherNodeDeliversWhatADeadOneHadQueuedAndBegun() {
		Abandoned dead = new Abandoned(this.nodes, SHORT_LEASE);
		List<String> events = dead.abandonInMidWork(150);
		long held = this.nodes.count("owner = " + dead.nodeId());
		assertThat(held).isGreaterThanOrEqualTo(100);
		DeliveryLog survivor = survivor();
		survivor.await(events);
		survivor.assertOnceEach(events);
		assertThat(this.nodes.count("status = 1")).isEqualTo(150);
		assertThat(this.nodes.count("reclaims = 1")).isEqualTo(held);
		assertThat(
				this.nodes.jdbc().queryForList("SELECT node_id FROM outbox_node WHERE dead_at IS NOT NULL", Long.class))
			.containsExactly(dead.nodeId());
		dead.end();
	}

	@Test
	void anEventOfTwoNodesThatDiedIsStillDelivered() {
		Set<String> events = new HashSet<>();
		Abandoned one = new Abandoned(this.nodes, SHORT_LEASE);
		events.addAll(one.abandonInMidWork(10));
		Abandoned two = new Abandoned(this.nodes, SHORT_LEASE);
		events.addAll(two.abandonInMidWork(10));
		DeliveryLog survivor = survivor();
		survivor.await(events);
		new Rows(this.nodes, two.node()).awaitAllFinished();
		survivor.assertOnceEach(events);
		one.end();
		two.end();
	}

	private DeliveryLog survivor() {
		DeliveryLog log = new DeliveryLog();
		Outbox node = this.nodes.node(SHORT_LEASE);
		node.listeners().register("Placed", log);
		node.start();
		new Rows(this.nodes, node).awaitAllFinished();
		return log;
	}

}
