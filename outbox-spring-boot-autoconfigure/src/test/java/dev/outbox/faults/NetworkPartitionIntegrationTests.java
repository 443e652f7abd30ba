package dev.outbox.faults;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TcpProxy;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a node that is cut off does not hold anything back, and takes part again
 * once it is not cut off any more. Its driver was told no time limit, and its connections
 * never answer again.
 */
@EachDatabase(only = { TestDatabase.POSTGRESQL, TestDatabase.MARIADB })
class NetworkPartitionIntegrationTests {

	private final TestDatabase database;

	NetworkPartitionIntegrationTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void othersTakeOverFromANodeThatIsCutOffAndItRecovers() throws Exception {
		try (Bench bench = new Bench(this.database, "node.heartbeat=250ms", "node.lease=1s", "poll.interval=500ms",
				"jdbc.query-timeout=1s"); TcpProxy network = TcpProxy.to(bench.source().url())) {
			SmallApplication cutOff = bench.nodeThrough("cut-off", endingIdleTransactions(network.url()))
				.listeningTo("slow", "plain")
				.start();
			SmallApplication other = bench.node("other").listeningTo("slow").start();
			Long id = cutOff.outbox().nodeId();
			other.write(1000, "slow");
			for (int i = 0; i < 8; i++) {
				cutOff.write(100, "slow");
			}
			Bench.await().until(() -> bench.journal().callsOf("cut-off").size() >= 20);
			network.blackHole();
			assertThat(bench.count("outbox_event", "owner = " + id)).isPositive();
			bench.awaitAllDelivered();

			network.pass();
			String next = other.write("plain");
			bench.awaitAllDelivered();
			assertThat(bench.journal().callsOf("cut-off")).last().extracting(Journal.Call::eventId).isEqualTo(next);
			assertThat(cutOff.outbox().nodeId()).isNotEqualTo(id);
		}
	}

	/**
	 * A node that is cut off in the middle of a transaction leaves its locks behind,
	 * until the server ends it.
	 */
	private String endingIdleTransactions(String url) {
		return switch (this.database) {
			case POSTGRESQL -> url + separator(url) + "options=-c%20idle_in_transaction_session_timeout=2000";
			case MARIADB -> url + separator(url) + "sessionVariables=idle_write_transaction_timeout=2";
			default -> url;
		};
	}

	private static String separator(String url) {
		return url.contains("?") ? "&" : "?";
	}

}
