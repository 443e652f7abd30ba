package dev.outbox.faults;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TcpProxy;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a node whose database is away for longer than its lease goes on where it was
 * if nobody took over meanwhile.
 */
@EachDatabase(only = { TestDatabase.POSTGRESQL, TestDatabase.MARIADB })
class DatabaseOutageIntegrationTests {

	private final TestDatabase database;

	DatabaseOutageIntegrationTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void loneNodeDeliversEverythingOnceAfterAnOutage() throws Exception {
		try (Bench bench = new Bench(this.database, "node.heartbeat=250ms", "node.lease=1s", "poll.interval=500ms");
				TcpProxy network = TcpProxy.to(bench.source().url())) {
			SmallApplication node = bench.nodeThrough("node", network.url()).listeningTo("slow").start();
			Long id = node.outbox().nodeId();
			node.write(1000, "slow");
			node.keepWriting("slow", 2);
			Bench.await().until(() -> bench.journal().calls().size() >= 100);
			network.refuse();
			bench.awaitLeaseOver(id);
			assertThat(bench.count("outbox_event", "status = 0")).isPositive();
			network.pass();
			bench.awaitProgress();
			node.stopWriting();
			bench.awaitAllDelivered();
			assertThat(node.outbox().nodeId()).isEqualTo(id);
			assertThat(bench.journal().repeated()).isEmpty();
		}
	}

}
