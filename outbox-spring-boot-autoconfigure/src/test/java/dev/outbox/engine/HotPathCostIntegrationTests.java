package dev.outbox.engine;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What an event costs the database beside its INSERT, as PostgreSQL itself counts it.
 */
@EachDatabase(only = TestDatabase.POSTGRESQL)
class HotPathCostIntegrationTests {

	private static final Logger logger = LoggerFactory.getLogger(HotPathCostIntegrationTests.class);

	private static final int WRITERS = 8;

	private static final int EVENTS = 20_000;

	private final TestDatabase database;

	HotPathCostIntegrationTests(TestDatabase database) {
		this.database = database;
	}

	/**
	 * Verifying and settling take a statement each for many events. How many events share
	 * one depends on how fast they come, and so does what is asked for.
	 */
	@Test
	void verifyingAndSettlingTakeAFractionOfAStatementForEachEvent() throws Exception {
		try (OutboxNodes nodes = new OutboxNodes(this.database)) {
			AtomicInteger delivered = new AtomicInteger();
			Outbox node = nodes.node();
			node.listeners().register("thing.happened", (event) -> delivered.incrementAndGet());
			node.start();
			nodes.jdbc().execute("CREATE EXTENSION pg_stat_statements");
			write(nodes, node, 2000);
			await().atMost(Duration.ofSeconds(60)).until(() -> delivered.get() == 2000);
			nodes.jdbc().execute("SELECT pg_stat_statements_reset()");
			long began = System.nanoTime();
			write(nodes, node, EVENTS);
			await().atMost(Duration.ofSeconds(60)).until(() -> delivered.get() == 2000 + EVENTS);
			await().atMost(Duration.ofSeconds(60)).until(() -> nodes.count("status <> 1") == 0);
			double perSecond = EVENTS / ((System.nanoTime() - began) / 1e9);
			double further = further(nodes) / EVENTS;
			logger.info("{} further statements per event at {} events per second", further, (int) perSecond);
			assertThat(further).isLessThan((perSecond > 2000) ? 0.3 : 1);
		}
	}

	/**
	 * Count what was sent beside the INSERTs, their transactions, and this test's own
	 * questions.
	 */
	private static double further(OutboxNodes nodes) {
		Double calls = nodes.jdbc().queryForObject("""
				SELECT SUM(calls) FROM pg_stat_statements
				WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
				AND query !~ '^(INSERT INTO "outbox_event"|BEGIN|COMMIT|SELECT COUNT|SELECT pg_stat)'""", Double.class);
		return (calls != null) ? calls : Double.NaN;
	}

	private static void write(OutboxNodes nodes, Outbox node, int events) throws Exception {
		ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
		try {
			for (int i = 0; i < events; i++) {
				writers.execute(() -> nodes.write(node, 1, "thing.happened"));
			}
		}
		finally {
			writers.shutdown();
			assertThat(writers.awaitTermination(2, TimeUnit.MINUTES)).isTrue();
		}
	}

}
