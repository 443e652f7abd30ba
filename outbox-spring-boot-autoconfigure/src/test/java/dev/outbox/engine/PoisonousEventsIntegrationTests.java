package dev.outbox.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.OutboxListener;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of events that nodes die of, that cannot be read, or that nobody knows.
 */
@EachDatabase
class PoisonousEventsIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final OutboxNodes nodes;

	PoisonousEventsIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void theAttemptOfASuspectIsCountedBeforeItsListenerIsCalledUntilOneHasHadAnOutcome() {
		Outbox node = node("retry.max-attempts=3");
		List<Integer> counted = new CopyOnWriteArrayList<>();
		node.listeners().register("thing.happened", (event) -> {
			counted.add(this.nodes.jdbc()
				.queryForObject("SELECT attempts FROM outbox_event WHERE event_id = ?", Integer.class,
						event.eventId()));
			if (counted.size() == 1) {
				throw new IllegalStateException("not counted twice");
			}
		});
		this.nodes.write(node, 1, "thing.happened");
		this.nodes.jdbc().update("UPDATE outbox_event SET reclaims = 2");
		node.start();
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == 1);
		assertThat(counted).containsExactly(1, 1);
		assertThat(this.nodes.count("reclaims = 0")).isOne();
	}

	@Test
	void aSuspectWithoutAttemptsLeftIsGivenUpUncalledAndItsNeighboursLoseNone() {
		Outbox node = node("retry.max-attempts=3");
		Set<String> called = ConcurrentHashMap.newKeySet();
		node.listeners().register("thing.happened", (event) -> called.add(event.eventId()));
		this.nodes.write(node, 20, "thing.happened");
		String killer = this.nodes.jdbc().queryForObject("SELECT MIN(event_id) FROM outbox_event", String.class);
		assertThat(killer).isNotNull();
		this.nodes.jdbc()
			.update("UPDATE outbox_event SET reclaims = 5, attempts = 3, status = 2 WHERE event_id = ?", killer);
		node.start();
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == 19);
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 3 AND owner IS NULL") == 1);
		assertThat(called).hasSize(19).doesNotContain(killer);
		assertThat(this.nodes.count("status = 1 AND attempts = 0")).isEqualTo(19);
		assertThat(lastError(killer)).contains("the node died");
	}

	@Test
	void suspectsAreTriedOneAtATimeWhileOthersFlow() {
		Outbox node = node("dispatch.workers=4");
		AtomicInteger running = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		CountDownLatch othersAreDone = new CountDownLatch(20);
		node.listeners().register("suspect", (event) -> {
			most.accumulateAndGet(running.incrementAndGet(), Math::max);
			othersAreDone.await();
			running.decrementAndGet();
		});
		node.listeners().register("other", (event) -> othersAreDone.countDown());
		this.nodes.write(node, 5, "suspect");
		this.nodes.jdbc().update("UPDATE outbox_event SET reclaims = 2");
		this.nodes.write(node, 20, "other");
		node.start();
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == 25);
		assertThat(most).hasValue(1);
	}

	@Test
	void anEventThatCannotBeReadDiesAtOnceAndAloneAndItsErrorDoesNotQuoteIt() {
		Outbox node = node();
		Amounts listener = new Amounts();
		ListenerBeans.register(node, listener);
		this.nodes.transactions().executeWithoutResult((status) -> {
			for (int i = 0; i < 100; i++) {
				node.writer().write("amount", "{\"value\":" + i + "}");
			}
		});
		List<String> ids = this.nodes.jdbc()
			.queryForList("SELECT event_id FROM outbox_event ORDER BY seq", String.class);
		this.nodes.jdbc()
			.update("UPDATE outbox_event SET payload = '{\"value\":\"secret\"}' WHERE event_id = ?", ids.get(10));
		this.nodes.jdbc().update("UPDATE outbox_event SET payload = '{\"secret' WHERE event_id = ?", ids.get(50));
		this.nodes.jdbc().update("UPDATE outbox_event SET headers = '{\"secret' WHERE event_id = ?", ids.get(90));
		node.start();
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == 97);
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 3 AND owner IS NULL") == 3);
		assertThat(listener.values).hasSize(97).doesNotContainKeys(10, 50, 90).containsValue(1).doesNotContainValue(2);
		for (int i : new int[] { 10, 50, 90 }) {
			assertThat(lastError(ids.get(i))).startsWith("listeners.on: ").doesNotContain("secret");
		}
		assertThat(lastError(ids.get(90))).contains("headers");
		assertThat(this.nodes.count("status = 3 AND attempts > 1")).as("at once").isZero();
	}

	@Test
	void whatNobodyHereKnowsIsLeftAloneUntilANodeComesThatKnowsIt() {
		FailingThreads observed = new FailingThreads(this.nodes.dataSource().dataSource());
		Outbox old = this.nodes.node(
				(builder) -> builder.dataSource(observed).transactionManager(new JdbcTransactionManager(observed)),
				"poll.floor=1h", "poll.interval=1h", "node.heartbeat=1h", "node.lease=2h");
		Set<String> delivered = ConcurrentHashMap.newKeySet();
		old.listeners().register("known", (event) -> delivered.add(event.eventId()));
		old.start();
		new TransactionTemplate(new JdbcTransactionManager(observed))
			.executeWithoutResult((status) -> old.writer().write("new.type", "{}"));
		new TransactionTemplate(new JdbcTransactionManager(observed))
			.executeWithoutResult((status) -> old.writer().write("known", "{}"));
		await().atMost(PATIENCE).until(() -> delivered.size() == 1);
		assertThat(this.nodes.count("event_type = 'new.type' AND owner IS NULL AND claim = 0 AND status = 0")).isOne();
		Outbox newer = node();
		newer.listeners().register("new.type", (event) -> delivered.add(event.eventId()));
		newer.start();
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == 2);
		assertThat(this.nodes.count("attempts = 0")).isEqualTo(2);
		assertThat(observed.statements().stream().filter((statement) -> statement.contains("owner IS NULL")))
			.as("one look at the start and one for the commit, each a few statements")
			.hasSizeLessThanOrEqualTo(10);
	}

	private Outbox node(String... properties) {
		List<String> all = new ArrayList<>(
				List.of("retry.initial-delay=1ms", "retry.max-delay=1ms", "poll.floor=5ms", "poll.interval=50ms"));
		all.addAll(List.of(properties));
		return this.nodes.node(all.toArray(String[]::new));
	}

	private String lastError(String eventId) {
		return String.valueOf(this.nodes.jdbc()
			.queryForObject("SELECT last_error FROM outbox_event WHERE event_id = ?", String.class, eventId));
	}

	static class Amounts {

		private final Map<Integer, Integer> values = new ConcurrentHashMap<>();

		@OutboxListener("amount")
		void on(Amount amount) {
			this.values.merge(amount.value(), 1, Integer::sum);
		}

		record Amount(int value) {

		}

	}

}
