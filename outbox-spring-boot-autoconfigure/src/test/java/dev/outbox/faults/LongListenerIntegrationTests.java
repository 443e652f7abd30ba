package dev.outbox.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.sql.Connection;

import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that events whose listeners take many times the lease are not given to another
 * node.
 */
@EachDatabase(only = { TestDatabase.POSTGRESQL, TestDatabase.MARIADB })
class LongListenerIntegrationTests {

	private static final long LEASES = 5_000_000;

	private static final String[] SHORT_LEASE = { "node.heartbeat=200ms", "node.lease=1s", "poll.interval=500ms" };

	private final TestDatabase database;

	LongListenerIntegrationTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void listenerIsCalledOnceHoweverLongItTakes() throws Exception {
		try (Bench bench = new Bench(this.database, SHORT_LEASE)) {
			SmallApplication node = bench.node("node").listeningTo("gated").start();
			node.write("gated");
			finishAfterManyLeases(bench, node, 1);
		}
	}

	@Test
	void signsOfLifeGoOnWhenAllWorkersAndConnectionsAreTaken() throws Exception {
		int others = 3;
		try (Bench bench = new Bench(this.database, SHORT_LEASE)) {
			HikariDataSource pool = Bench.pool(bench.source().url(), bench.source().username(),
					bench.source().password(), others + 1);
			SmallApplication node = bench.nodeOn("node", pool, "dispatch.workers=" + others).listeningTo("gated");
			node.outbox().listeners().register("greedy", (event) -> {
				try (Connection connection = pool.getConnection()) {
					assertThat(connection.isValid(1)).isTrue();
					bench.journal().note(event.eventId(), "node");
					Bench.await().until(() -> Files.exists(SmallApplication.gate(bench.journal())));
				}
			});
			node.start();
			node.write(others, "greedy");
			Bench.await().until(() -> bench.journal().calls().size() == others);
			assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(others + 1);
			finishAfterManyLeases(bench, node, others);
		}
	}

	private static void finishAfterManyLeases(Bench bench, SmallApplication node, int calls) throws IOException {
		Long id = node.outbox().nodeId();
		SmallApplication other = bench.node("other").listeningTo("gated", "greedy").start();
		Bench.await()
			.until(() -> bench.count("outbox_node",
					"dead_at IS NOT NULL OR (node_id = %d AND beat_at > started_at + %d)".formatted(id, LEASES)) > 0);
		Files.createFile(SmallApplication.gate(bench.journal()));
		bench.awaitAllDelivered();
		assertThat(bench.journal().calls()).hasSize(calls);
		assertThat(node.outbox().nodeId()).isEqualTo(id);
		assertThat(other.outbox().nodeId()).isNotNull();
	}

}
