package dev.outbox.engine;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

/**
 * Tests that listeners that are slow, or that fail again and again, are in nobody's way.
 */
@EachDatabase(only = { TestDatabase.POSTGRESQL, TestDatabase.H2 })
class SlowListenersIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final TestDatabase database;

	private final OutboxNodes nodes;

	private final CountDownLatch goOn = new CountDownLatch(1);

	private final AtomicInteger stuck = new AtomicInteger();

	private final Set<String> delivered = ConcurrentHashMap.newKeySet();

	SlowListenersIntegrationTests(TestDatabase database) {
		this.database = database;
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.goOn.countDown();
		this.nodes.close();
	}

	@Test
	void oneSlowEventDoesNotHoldUpTheOthersAsLongAsThereAreWorkers() {
		Outbox node = start("dispatch.workers=2");
		this.nodes.write(node, 1, "slow");
		await().atMost(PATIENCE).untilAtomic(this.stuck, is(1));
		this.nodes.write(node, 40, "quick");
		this.nodes.write(node, 150, "quick");
		await().atMost(PATIENCE).until(() -> this.delivered.size() == 190);
		assertThat(this.nodes.count("event_type = 'slow' AND status = 0 AND owner IS NOT NULL")).isOne();
		this.goOn.countDown();
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == 191);
		assertThat(this.stuck).as("it was called once").hasValue(1);
	}

	@Test
	void eventsThatFailAgainAndAgainDoNotStarveTheOthers() {
		Outbox node = start("dispatch.workers=1", "dispatch.cold-queue=10", "poll.batch=10",
				"retry.max-attempts=1000000", "retry.initial-delay=0ms", "breaker.failures=0", "poll.floor=1ms",
				"completion.max-delay=1ms");
		this.nodes.write(node, 100, "failing");
		await().atMost(PATIENCE).until(() -> this.nodes.count("attempts >= 2") > 0);
		this.nodes.write(node, 150, "quick");
		await().atMost(PATIENCE).until(() -> this.delivered.size() == 150);
		assertThat(node.statistics()).isNotNull();
		assertThat(node.statistics().hotEnqueued()).as("by either way").isBetween(100L, 200L);
		assertThat(this.nodes.count("event_type = 'failing' AND status IN (0, 2)")).isEqualTo(100);
	}

	@Test
	void whileAListenerRunsNoConnectionAndNoTransactionIsHeld() {
		Outbox node = start("dispatch.workers=3");
		this.nodes.write(node, 3, "slow");
		await().atMost(PATIENCE).untilAtomic(this.stuck, is(3));
		HikariDataSource pool = (HikariDataSource) this.nodes.dataSource().dataSource();
		await().atMost(PATIENCE).until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
		if (this.database == TestDatabase.POSTGRESQL) {
			await().atMost(PATIENCE)
				.until(() -> this.nodes.jdbc()
					.queryForObject("SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() "
							+ "AND pid <> pg_backend_pid() AND state <> 'idle'", Integer.class) == 0);
		}
		assertThat(this.nodes.count("status = 0 AND owner IS NOT NULL")).as("they are still running").isEqualTo(3);
	}

	private Outbox start(String... properties) {
		Outbox node = this.nodes.node(properties);
		node.listeners().register("slow", (event) -> {
			this.stuck.incrementAndGet();
			this.goOn.await();
		});
		node.listeners().register("quick", (event) -> this.delivered.add(event.eventId()));
		node.listeners().register("failing", (event) -> {
			throw new IllegalStateException("again");
		});
		node.start();
		return node;
	}

}
