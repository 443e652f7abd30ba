package dev.outbox.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.EventEnvelope;
import dev.outbox.EventInterceptor;
import dev.outbox.EventListener;
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

	private static final EventListener NOTHING = (event) -> {
	};

	private final TestDatabase database;

	private final OutboxNodes nodes;

	TransactionalListenerIntegrationTests(TestDatabase database) {
		this.database = database;
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
		Outbox node = start(new Effect(this.nodes.jdbc(), "only", (event) -> {
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

	/**
	 * The listener is late after its work. On SQLite, where nobody else could take the
	 * event over from then on, it is late before.
	 */
	@Test
	void theListenersWorkIsUndoneIfTheEventWasTakenOverMeanwhile() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		EventListener late = (event) -> {
			begun.countDown();
			goOn.await();
		};
		boolean before = this.database == TestDatabase.SQLITE;
		Outbox lateNode = this.nodes.node(
				(builder) -> before ? builder.interceptors(List.of(EventInterceptor.before(late))) : builder,
				"poll.enabled=false", "node.reaper=false", "node.heartbeat=10m", "node.lease=1h");
		AnnotatedListeners.register(lateNode, new Effect(this.nodes.jdbc(), "late", before ? NOTHING : late));
		lateNode.start();
		Rows rows = new Rows(this.nodes, lateNode);
		String event = rows.write(lateNode, "Placed");
		assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
		this.nodes.jdbc().update("UPDATE outbox_node SET dead_at = beat_at WHERE node_id = ?", lateNode.nodeId());
		start(new Effect(this.nodes.jdbc(), "next", NOTHING), "node.heartbeat=50ms", "poll.interval=100ms");
		EventRecord done = rows.await(event, EventStatus.DONE);
		assertThat(effects()).containsExactly("next");
		goOn.countDown();
		await().atMost(Duration.ofSeconds(30)).until(() -> Objects.requireNonNull(lateNode.statistics()).fenced() == 1);
		assertThat(effects()).containsExactly("next");
		assertThat(rows.get(event)).isEqualTo(done);
	}

	@Test
	void theOutcomeMayBeThatTheEventIsDeleted() {
		Outbox node = start(new Effect(this.nodes.jdbc(), "only", NOTHING), "completion.mode=delete");
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

	/**
	 * Inserts a row and does something else after that.
	 */
	static class Effect {

		private final JdbcTemplate jdbc;

		private final String node;

		private final EventListener after;

		Effect(JdbcTemplate jdbc, String node, EventListener after) {
			this.jdbc = jdbc;
			this.node = node;
			this.after = after;
		}

		@OutboxListener(value = "Placed", transactional = true)
		void on(EventEnvelope event) throws Exception {
			this.jdbc.update("INSERT INTO effect (event_id, node) VALUES (?, ?)", event.eventId(), this.node);
			this.after.onEvent(event);
		}

	}

}
