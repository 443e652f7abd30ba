package dev.outbox.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of an outbox whose table something else reads.
 */
@EachDatabase
class WriterOnlyIntegrationTests {

	private static final String WRITER_ONLY = "mode=writer-only";

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final OutboxNodes nodes;

	private final DeliveryLog log = new DeliveryLog();

	WriterOnlyIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void rowsStayAsTheyWereWritten() {
		Outbox node = start("purge.interval=1ms", "purge.done-after=0s", "purge.dead-after=0s");
		Rows rows = new Rows(this.nodes, node);
		List<String> events = rows.write(node, "Placed", 3);
		List<Map<String, Object>> written = table();
		awaitPurges(node, rows);
		assertThat(table()).hasSize(3).isEqualTo(written);
		assertThat(events).allSatisfy((event) -> {
			assertThat(rows.get(event).owner()).isNull();
			assertThat(rows.get(event).claimNumber()).isZero();
		});
		assertThat(this.log.calls()).isZero();
		assertThat(node.statistics()).isNull();
		assertThat(node.nodeId()).isNull();
		assertThat(this.nodes.jdbc().queryForList("SELECT node_id FROM outbox_node")).isEmpty();
	}

	@Test
	void whatWasReadByOthersIsPurgedIfThatIsAskedFor() {
		Outbox node = start("purge.interval=1ms", "purge.unfinished-after=1h");
		Rows rows = new Rows(this.nodes, node);
		List<String> old = rows.write(node, "Placed", 3);
		List<String> young = rows.write(node, "Placed", 2);
		old.forEach((event) -> this.nodes.jdbc()
			.update("UPDATE outbox_event SET available_at = available_at - 3700000000 WHERE event_id = ?", event));
		await().atMost(PATIENCE).until(() -> this.nodes.count("1 = 1") == 2);
		assertThat(young).allMatch(rows::has);
	}

	/**
	 * Wait until the purge has looked at everything twice: it deletes what is delivered
	 * before it turns to the rest.
	 */
	private void awaitPurges(Outbox node, Rows rows) {
		for (int i = 0; i < 2; i++) {
			String delivered = rows.write(node, "Placed");
			this.nodes.jdbc().update("UPDATE outbox_event SET status = 1 WHERE event_id = ?", delivered);
			await().atMost(PATIENCE).until(() -> !rows.has(delivered));
		}
	}

	private List<Map<String, Object>> table() {
		return this.nodes.jdbc()
			.queryForList("SELECT event_id, seq, status, owner, claim, attempts, reclaims, available_at, created_at, "
					+ "done_at, payload FROM outbox_event ORDER BY seq");
	}

	private Outbox start(String... properties) {
		String[] all = Arrays.copyOf(properties, properties.length + 1);
		all[properties.length] = WRITER_ONLY;
		Outbox node = this.nodes.node(all);
		node.listeners().register("Placed", this.log);
		node.start();
		return node;
	}

}
