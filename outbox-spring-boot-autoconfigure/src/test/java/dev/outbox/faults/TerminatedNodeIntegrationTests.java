package dev.outbox.faults;

import dev.outbox.testsupport.ChildJvm;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a process that is asked to end under load leaves nothing behind that others
 * would have to wait for: the lease is an hour.
 */
@EachDatabase(only = { TestDatabase.POSTGRESQL, TestDatabase.MARIADB })
class TerminatedNodeIntegrationTests {

	private final TestDatabase database;

	TerminatedNodeIntegrationTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void everythingIsDeliveredOnceAndNothingWaitsForTheLease() throws Exception {
		try (Bench bench = new Bench(this.database, "node.lease=1h", "poll.interval=500ms")) {
			bench.node("writer", "dispatch.enabled=false").write(1000, "slow");
			for (int i = 0; i < 2; i++) {
				String name = "terminated-" + i;
				ChildJvm child = bench.writingChild(name, "slow");
				Bench.await().until(() -> bench.journal().callsOf(name).size() >= 100);
				assertThat(bench.count("outbox_event", "owner IS NOT NULL")).isPositive();
				child.terminate();
				assertThat(bench.count("outbox_event", "owner IS NOT NULL")).isZero();
				assertThat(bench.count("outbox_node", "1 = 1")).isZero();
			}
			assertThat(bench.count("outbox_event", "status = 0")).isPositive();
			bench.node("last").listeningTo("slow").start();
			bench.awaitAllDelivered();
			assertThat(bench.journal().repeated()).isEmpty();
		}
	}

}
