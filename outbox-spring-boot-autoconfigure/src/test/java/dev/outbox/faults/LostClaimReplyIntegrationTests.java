package dev.outbox.faults;

import java.io.IOException;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TcpProxy;
import dev.outbox.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that events are given back that a node claimed without getting to know it,
 * although the node lives on.
 */
class LostClaimReplyIntegrationTests {

	private static final int EVENTS = 10;

	/**
	 * Where claiming is a transaction of several statements, and nothing is locked if
	 * there is nothing to claim.
	 */
	@EachDatabase(only = TestDatabase.MARIADB)
	void claimWhoseAnswerGotLostIsGivenBack(TestDatabase database) throws IOException {
		try (Bench bench = new Bench(database, "node.heartbeat=250ms", "node.lease=1s", "poll.interval=500ms");
				TcpProxy network = TcpProxy.to(bench.source().url())) {
			bench.node("writer", "dispatch.enabled=false").write(EVENTS, "plain");
			network.cutAtCommit("SKIP LOCKED", true);
			SmallApplication node = bench.nodeThrough("node", network.url()).listeningTo("plain").start();
			Long id = node.outbox().nodeId();
			Bench.await().until(network::hasCut);
			assertThat(bench.count("outbox_event", "owner = " + id + " AND status = 0")).isEqualTo(EVENTS);
			bench.awaitAllDelivered();
			assertThat(bench.journal().repeated()).isEmpty();
			assertThat(node.outbox().nodeId()).isEqualTo(id);
		}
	}

}
