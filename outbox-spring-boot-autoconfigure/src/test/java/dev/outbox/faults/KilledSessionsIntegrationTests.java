package dev.outbox.faults;

import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;

import org.springframework.dao.DataAccessResourceFailureException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that nothing gets lost and no thread ends when all sessions end under load, again
 * and again.
 */
class KilledSessionsIntegrationTests {

	@EachDatabase(only = { TestDatabase.POSTGRESQL, TestDatabase.MARIADB })
	void everythingIsDeliveredWhenTheServerEndsItsSessions(TestDatabase database) {
		try (Bench bench = bench(database)) {
			disturb(bench, 3, Bench::killSessions);
		}
	}

	/**
	 * A server that loses one of its processes to a signal ends all sessions and
	 * recovers. It must not forget commits then, which it may, as the servers of tests do
	 * without waiting for the disk.
	 */
	@EachDatabase(only = TestDatabase.POSTGRESQL)
	void everythingIsDeliveredWhenTheServerCrashes(TestDatabase database) {
		try (Bench bench = bench(database)) {
			String name = bench.jdbc().queryForObject("SELECT current_database()", String.class);
			bench.jdbc().execute("ALTER DATABASE " + name + " SET synchronous_commit = on");
			disturb(bench, 2, KilledSessionsIntegrationTests::crash);
			bench.jdbc().execute("ALTER DATABASE " + name + " RESET synchronous_commit");
		}
	}

	private static Bench bench(TestDatabase database) {
		return new Bench(database, "node.heartbeat=250ms", "node.lease=1s", "poll.interval=500ms");
	}

	private static void disturb(Bench bench, int times, Consumer<Bench> disturbance) {
		SmallApplication node = bench.node("node").listeningTo("slow").start();
		node.write(500, "slow");
		node.keepWriting("slow", 4);
		Set<Thread> threads = threads();
		for (int i = 0; i < times; i++) {
			bench.awaitProgress();
			disturbance.accept(bench);
		}
		bench.awaitProgress();
		node.stopWriting();
		bench.awaitAllDelivered();
		assertThat(threads()).isEqualTo(threads);
	}

	/**
	 * The server itself runs the command, wherever it is.
	 */
	private static void crash(Bench bench) {
		Long before = checkpointer(bench);
		bench.jdbc().execute("CREATE TEMPORARY TABLE nothing (line TEXT)");
		try {
			bench.jdbc().execute("COPY nothing FROM PROGRAM 'kill -9 $PPID'");
		}
		catch (DataAccessResourceFailureException ex) {
			Bench.await().ignoreExceptions().until(() -> !checkpointer(bench).equals(before));
			return;
		}
		throw new IllegalStateException("The server has not crashed");
	}

	private static Long checkpointer(Bench bench) {
		return bench.jdbc()
			.queryForObject("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'", Long.class);
	}

	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("node-"))
			.collect(Collectors.toSet());
	}

}
