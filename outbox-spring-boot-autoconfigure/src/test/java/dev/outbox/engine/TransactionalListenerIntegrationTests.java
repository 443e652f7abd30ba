package dev.outbox.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxListener;
import dev.outbox.store.EventRecord;
import dev.outbox.store.EventStatus;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of listeners whose work in the same database happens exactly once.
 */
@EachDatabase
class TransactionalListenerIntegrationTests {

	private final OutboxNodes nodes;

	TransactionalListenerIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
		this.nodes.jdbc().execute("CREATE TABLE effect (event_id VARCHAR(36), node VARCHAR(36))");
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void theListenersWorkAndTheOutcomeAreCommittedTogether() {
		AtomicInteger calls = new AtomicInteger();
		Outbox node = start(new Effect(this.nodes.jdbc(), "only", () -> {
			if (calls.incrementAndGet() < 3) {
				throw new IllegalStateException("after its work was done");
			}
		}), "retry.initial-delay=1ms");
		Rows rows = new Rows(this.nodes, node);
		String event = rows.write(node, "Placed");
		EventRecord row = rows.await(event, EventStatus.DONE);
		assertThat(calls).hasValue(3);
		assertThat(row.attempts()).isEqualTo(2);
		assertThat(effects()).containsExactly("only");
		assertThat(this.nodes.count("event_id = '" + event + "' AND done_at IS NOT NULL")).isEqualTo(1);
	}

	@Test
	void theListenersWorkIsUndoneIfTheEventWasTakenOverMeanwhile() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		Outbox late = start(new Effect(this.nodes.jdbc(), "late", () -> {
		}, () -> {
			begun.countDown();
			awaitQuietly(goOn);
		}), "poll.enabled=false", "node.reaper=false", "node.heartbeat=10m", "node.lease=1h");
		Rows rows = new Rows(this.nodes, late);
		String event = rows.write(late, "Placed");
		assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
		this.nodes.jdbc().update("UPDATE outbox_node SET dead_at = beat_at WHERE node_id = ?", late.nodeId());
		start(new Effect(this.nodes.jdbc(), "next", () -> {
		}), "node.heartbeat=50ms", "poll.interval=100ms");
		EventRecord done = rows.await(event, EventStatus.DONE);
		assertThat(effects()).containsExactly("next");
		goOn.countDown();
		await().atMost(Duration.ofSeconds(30))
			.until(() -> Objects.requireNonNull(late.statistics()).fenced() == 1);
		assertThat(effects()).containsExactly("next");
		assertThat(rows.get(event)).isEqualTo(done);
	}

	@Test
	void theOutcomeMayBeThatTheEventIsDeleted() {
		Outbox node = start(new Effect(this.nodes.jdbc(), "only", () -> {
		}), "completion.mode=delete");
		Rows rows = new Rows(this.nodes, node);
		for (int i = 0; i < 20; i++) {
			rows.write(node, "Placed");
		}
		await().atMost(Duration.ofSeconds(30)).until(() -> this.nodes.count("1 = 1") == 0);
		assertThat(effects()).hasSize(20);
	}

	private List<String> effects() {
		return this.nodes.jdbc().queryForList("SELECT node FROM effect", String.class);
	}

	private Outbox start(Effect listener, String... properties) {
		Outbox node = this.nodes.node(properties);
		AnnotatedListeners.register(node, listener);
		node.start();
		return node;
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Inserts a row. SQLite would let nobody else write from then on, so what has to wait
	 * waits before that.
	 */
	static class Effect {

		private final JdbcTemplate jdbc;

		private final String name;

		private final Runnable after;

		private final Runnable before;

		Effect(JdbcTemplate jdbc, String name, Runnable after) {
			this(jdbc, name, after, () -> {
			});
		}

		Effect(JdbcTemplate jdbc, String name, Runnable after, Runnable before) {
			this.jdbc = jdbc;
			this.name = name;
			this.after = after;
			this.before = before;
		}

		@OutboxListener(value = "Placed", transactional = true)
		void on(EventEnvelope event) {
			this.before.run();
			this.jdbc.update("INSERT INTO effect (event_id, node) VALUES (?, ?)", event.eventId(), this.name);
			this.after.run();
		}

	}

}
