package dev.outbox.faults;

import java.io.IOException;
import java.util.Set;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TcpProxy;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests that an event shares the fate of its transaction when the connection breaks while
 * that is being committed, so that nobody here can know what became of it.
 */
@EachDatabase(only = { TestDatabase.POSTGRESQL, TestDatabase.MARIADB })
class LostCommitReplyIntegrationTests {

	private final TestDatabase database;

	LostCommitReplyIntegrationTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void eventIsDeliveredIfTheCommitWasReceived() throws Exception {
		assertThat(businessAfterCut(true)).hasSize(2);
	}

	@Test
	void eventIsNotDeliveredIfTheCommitGotLost() throws Exception {
		assertThat(businessAfterCut(false)).hasSize(1);
	}

	/**
	 * With a short lease, so that what is delivered by mistake is delivered in time to be
	 * seen: a second event is delivered after two sweeps.
	 */
	private Set<String> businessAfterCut(boolean received) throws IOException {
		try (Bench bench = new Bench(this.database, "node.heartbeat=250ms", "node.lease=500ms");
				TcpProxy network = TcpProxy.to(bench.source().url())) {
			SmallApplication node = bench.nodeThrough("node", url(network)).listeningTo("plain").start();
			network.cutAtCommit("business", received);
			assertThatException().isThrownBy(() -> node.write("plain"));
			assertThat(network.hasCut()).isTrue();
			bench.awaitAllDelivered();
			node.write("plain");
			bench.awaitAllDelivered();
			assertThat(bench.journal().repeated()).isEmpty();
			return bench.business();
		}
	}

	/**
	 * Statements that the server knows already are not sent as text.
	 */
	private String url(TcpProxy network) {
		return network.url() + ((this.database == TestDatabase.POSTGRESQL)
				? ((network.url().contains("?") ? "&" : "?") + "prepareThreshold=0") : "");
	}

}
