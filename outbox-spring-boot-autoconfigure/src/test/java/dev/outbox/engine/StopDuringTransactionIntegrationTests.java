package dev.outbox.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of a stop while a transaction is open. In SQLite, which has one writer at a time,
 * a node cannot sign off meanwhile.
 */
@EachDatabase(except = TestDatabase.SQLITE)
class StopDuringTransactionIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final OutboxNodes nodes;

	private final List<String> delivered = new CopyOnWriteArrayList<>();

	StopDuringTransactionIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void aStoppedNodeHandsNothingOverAndTheNextStartDeliversIt() {
		Outbox node = this.nodes.node("node.lease=10h");
		node.listeners().register("quick", (event) -> this.delivered.add(event.eventId()));
		node.start();
		this.nodes.transactions().executeWithoutResult((status) -> {
			node.writer().write("quick", "{}");
			CompletableFuture.runAsync(node::stop).join();
			node.writer().write("quick", "{}");
		});
		assertThat(this.nodes.count("owner IS NULL")).as("written after the stop").isOne();
		assertThat(this.delivered).isEmpty();
		node.start();
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == 2);
		assertThat(this.delivered).hasSize(2).doesNotHaveDuplicates();
	}

}
