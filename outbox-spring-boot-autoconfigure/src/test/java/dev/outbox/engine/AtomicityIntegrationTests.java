package dev.outbox.engine;

import java.util.Set;

import dev.outbox.store.EventRecord;
import dev.outbox.store.EventStatus;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that an event shares the fate of the transaction that wrote it.
 */
@EachDatabase
class AtomicityIntegrationTests {

	private final OutboxNodes nodes;

	private final DeliveryLog log = new DeliveryLog();

	AtomicityIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void anEventOfACommittedTransactionIsDeliveredOnceAndRecorded() {
		Outbox node = start();
		Rows rows = new Rows(this.nodes, node);
		String event = rows.write(node, "Placed");
		EventRecord row = rows.await(event, EventStatus.DONE);
		assertThat(row.doneAt()).isNotNull();
		assertThat(row.attempts()).isZero();
		assertThat(row.lastError()).isNull();
		this.log.assertOnceEach(Set.of(event));
	}

	@Test
	void anEventOfARolledBackTransactionIsNeverDelivered() {
		Outbox node = start();
		Rows rows = new Rows(this.nodes, node);
		String rolledBack = this.nodes.transactions().execute((status) -> {
			status.setRollbackOnly();
			return node.writer().write("Placed", "{}");
		});
		String sentinel = rows.write(node, "Placed");
		rows.await(sentinel, EventStatus.DONE);
		assertThat(rolledBack).isNotNull();
		assertThat(rows.has(rolledBack)).isFalse();
		this.log.assertOnceEach(Set.of(sentinel));
	}

	@Test
	void theOnlyPlaceInTheHotQueueIsFreeAgainAfterARollback() {
		Outbox node = start("dispatch.hot-queue=1", "poll.enabled=false");
		for (int i = 0; i < 5; i++) {
			this.nodes.transactions().executeWithoutResult((status) -> {
				node.writer().write("Placed", "{}");
				status.setRollbackOnly();
			});
		}
		Rows rows = new Rows(this.nodes, node);
		rows.await(rows.write(node, "Placed"), EventStatus.DONE);
	}

	private Outbox start(String... properties) {
		Outbox node = this.nodes.node(properties);
		node.listeners().register("Placed", this.log);
		node.start();
		return node;
	}

}
