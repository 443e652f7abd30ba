package dev.outbox.faults;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a node recovers by itself from a database that was read-only for a while, as
 * after a failover, although its pool is left with sessions that stay read-only.
 */
@EachDatabase(only = { TestDatabase.POSTGRESQL, TestDatabase.MARIADB })
class ReadOnlyDatabaseIntegrationTests {

	private final TestDatabase database;

	ReadOnlyDatabaseIntegrationTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void everythingIsDeliveredOnceWhenTheDatabaseCanBeWrittenAgain() {
		try (Bench bench = new Bench(this.database, "node.heartbeat=250ms", "node.lease=1s", "poll.interval=500ms")) {
			SmallApplication node = bench.node("node").listeningTo("slow").start();
			Long id = node.outbox().nodeId();
			node.write(1000, "slow");
			Bench.await().until(() -> bench.journal().calls().size() >= 100);
			try {
				readOnly(bench, true);
				bench.killSessions();
				bench.awaitLeaseOver(id);
			}
			finally {
				readOnly(bench, false);
			}
			bench.awaitAllDelivered();
			assertThat(bench.journal().repeated()).isEmpty();
			assertThat(node.outbox().nodeId()).isEqualTo(id);
		}
	}

	/**
	 * Changes sessions to come, not those that there are.
	 */
	private void readOnly(Bench bench, boolean readOnly) {
		if (this.database == TestDatabase.POSTGRESQL) {
			String name = bench.jdbc().queryForObject("SELECT current_database()", String.class);
			bench.jdbc()
				.execute("ALTER DATABASE " + name + (readOnly ? " SET default_transaction_read_only = on"
						: " RESET default_transaction_read_only"));
		}
		else {
			bench.jdbc().execute("SET GLOBAL tx_read_only = " + (readOnly ? 1 : 0));
		}
	}

}
