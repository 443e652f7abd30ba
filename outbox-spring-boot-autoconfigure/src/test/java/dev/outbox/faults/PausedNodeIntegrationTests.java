package dev.outbox.faults;

import java.nio.file.Files;
import java.util.List;
import java.util.Map;

import dev.outbox.testsupport.ChildJvm;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a process that stood still for longer than its lease does no harm when it
 * goes on.
 */
@EachDatabase(only = { TestDatabase.POSTGRESQL, TestDatabase.MARIADB })
class PausedNodeIntegrationTests {

	private static final int WORKERS = 4;

	private final TestDatabase database;

	PausedNodeIntegrationTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void startsNothingThatWaitedAndRecordsNothingThatWasTakenOver() throws Exception {
		try (Bench bench = new Bench(this.database, "node.heartbeat=250ms", "node.lease=1s", "poll.interval=500ms")) {
			bench.node("writer", "dispatch.enabled=false").write(50, "gated");
			ChildJvm paused = bench.child("paused", "gated,plain");
			Bench.await().until(() -> bench.journal().calls().size() == WORKERS);
			Bench.await().until(() -> bench.count("outbox_event", "owner IS NOT NULL") == 50);
			long oldId = nodeIds(bench, "dead_at IS NULL").get(0);
			paused.pause();
			SmallApplication other = bench.node("other").listeningTo("later");
			other.outbox().listeners().register("gated", (event) -> bench.journal().note(event.eventId(), "other"));
			other.start();
			bench.awaitAllDelivered();
			List<Map<String, Object>> recorded = rows(bench);

			Files.createFile(SmallApplication.gate(bench.journal()));
			paused.resume();
			String next = other.write("plain");
			Bench.await().until(() -> bench.journal().callsOf("paused").size() > WORKERS);
			assertThat(bench.journal().callsOf("paused")).hasSize(WORKERS + 1)
				.last()
				.extracting(Journal.Call::eventId)
				.isEqualTo(next);
			bench.awaitAllDelivered();
			assertThat(rows(bench)).isEqualTo(recorded);
			assertThat(bench.journal().callsOf("other")).hasSize(50);
			assertThat(nodeIds(bench, "dead_at IS NOT NULL")).containsExactly(oldId);
			assertThat(nodeIds(bench, "dead_at IS NULL")).hasSize(2).contains(other.outbox().nodeId());
		}
	}

	private static List<Long> nodeIds(Bench bench, String where) {
		return bench.jdbc().queryForList("SELECT node_id FROM outbox_node WHERE " + where, Long.class);
	}

	private static List<Map<String, Object>> rows(Bench bench) {
		return bench.jdbc().queryForList("""
				SELECT event_id, status, claim, attempts, reclaims, done_at, owner FROM outbox_event
				WHERE event_type = 'gated' ORDER BY event_id""");
	}

}
