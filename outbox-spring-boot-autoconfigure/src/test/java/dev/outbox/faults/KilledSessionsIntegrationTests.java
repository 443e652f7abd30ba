package dev.outbox.faults;

import java.util.Set;
import java.util.stream.Collectors;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that nothing gets lost and no thread ends when the server ends its sessions under
 * load.
 */
@EachDatabase(only = { TestDatabase.POSTGRESQL, TestDatabase.MARIADB })
class KilledSessionsIntegrationTests {

	private static final int TIMES = 5;

	private final TestDatabase database;

	KilledSessionsIntegrationTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void everythingIsDeliveredWhenAllSessionsAreKilledAgainAndAgain() {
		try (Bench bench = new Bench(this.database, "node.heartbeat=250ms", "node.lease=1s", "poll.interval=500ms")) {
			SmallApplication node = underLoad(bench);
			Set<Thread> threads = threads();
			for (int i = 0; i < TIMES; i++) {
				awaitProgress(bench);
				bench.killSessions();
			}
			awaitProgress(bench);
			node.stopWriting();
			bench.awaitAllDelivered();
			assertThat(threads()).isEqualTo(threads);
		}
	}

	private static SmallApplication underLoad(Bench bench) {
		SmallApplication node = bench.node("node").listeningTo("slow").start();
		node.write(1000, "slow");
		return node.keepWriting("slow", 4);
	}

	/**
	 * Wait until another few events were written and delivered.
	 */
	static void awaitProgress(Bench bench) {
		Set<String> before = bench.business();
		Bench.await().until(() -> {
			Set<String> news = bench.business();
			news.removeAll(before);
			news.retainAll(bench.journal().eventIds());
			return news.size() >= 20;
		});
	}

	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("node-"))
			.collect(Collectors.toSet());
	}

}
