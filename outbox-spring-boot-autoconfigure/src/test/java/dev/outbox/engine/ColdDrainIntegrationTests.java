package dev.outbox.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a backlog is delivered in one go: the poller goes on as soon as there is
 * room, without waiting for its next turn, which would be an hour away.
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
		Outbox node = this.nodes.node("poll.interval=1h", "poll.floor=1h");
		node.listeners().register("Placed", this.log);
		node.start();
		rows.awaitAllFinished();
		this.log.assertOnceEach(events);
		assertThat(Objects.requireNonNull(node.statistics()).coldEnqueued()).isEqualTo(events.size());
	}

}
