package dev.outbox.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxListener;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of events that several listeners take.
 */
@EachDatabase
class SeveralListenersIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final OutboxNodes nodes;

	private final Outbox node;

	SeveralListenersIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
		this.node = this.nodes.node("retry.initial-delay=1ms", "retry.max-delay=10ms", "poll.floor=5ms",
				"poll.interval=50ms");
		this.nodes.jdbc().execute("CREATE TABLE business (id VARCHAR(36) PRIMARY KEY)");
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void anEventIsDoneWhenAllAreAndARetryCallsOnlyThoseThatAreMissing() {
		TwoListeners listeners = new TwoListeners(0, 2);
		start(listeners);
		this.nodes.write(this.node, 1, "thing.happened");
		awaitStatus(1);
		assertThat(listeners.calls).containsExactly("a1", "b1", "b2", "b3");
		assertThat(progress()).isEqualTo("{\"a\":\"done\",\"b\":\"2\"}");
	}

	@Test
	void anEventDiesWithItsLastOpenListenerAndAReplayCallsOnlyThoseThatAreMissing() {
		TwoListeners listeners = new TwoListeners(0, 3);
		start(listeners);
		this.nodes.write(this.node, 1, "thing.happened");
		awaitStatus(3);
		assertThat(progress()).isEqualTo("{\"a\":\"done\",\"b\":\"dead\"}");
		assertThat(value("last_error")).startsWith("b: java.lang.IllegalStateException: b3");
		listeners.calls.clear();
		String id = value("event_id");
		this.node.deadEvents().replay(id);
		awaitStatus(1);
		assertThat(listeners.calls).containsExactly("b1");
	}

	@Test
	void aDeadListenerLeavesTheEventToTheOthers() {
		TwoListeners listeners = new TwoListeners(5, 3);
		start(listeners);
		this.nodes.write(this.node, 1, "thing.happened");
		awaitStatus(3);
		assertThat(listeners.calls).filteredOn((call) -> call.startsWith("a")).hasSize(6);
		assertThat(listeners.calls).filteredOn((call) -> call.startsWith("b")).containsExactly("b1", "b2", "b3");
		assertThat(progress()).isEqualTo("{\"a\":\"done\",\"b\":\"dead\"}");
		assertThat(value("last_error")).as("whoever looks for dead events of b finds it").startsWith("b: ");
	}

	@Test
	void transactionalListenersHaveTheirEffectOnceWhateverTheOthersDo() {
		TransactionalListeners listeners = new TransactionalListeners(this.nodes.jdbc(), 0);
		start(listeners);
		this.nodes.write(this.node, 1, "thing.happened");
		awaitStatus(1);
		assertThat(listeners.calls).containsExactlyInAnyOrder("first", "plain1", "plain2", "second");
		assertThat(this.nodes.jdbc().queryForList("SELECT id FROM business ORDER BY id", String.class))
			.containsExactly("first", "second");
	}

	@Test
	void aTransactionalListenerWhoseClaimIsLostHasNoEffect() {
		TransactionalListeners listeners = new TransactionalListeners(this.nodes.jdbc(), 1);
		start(listeners);
		this.nodes.write(this.node, 1, "thing.happened");
		awaitStatus(1);
		assertThat(listeners.calls).filteredOn("first"::equals).hasSize(2);
		assertThat(this.nodes.jdbc().queryForList("SELECT id FROM business ORDER BY id", String.class))
			.containsExactly("first", "second");
	}

	private void start(Object listeners) {
		ListenerBeans.register(this.node, listeners);
		this.node.start();
	}

	private void awaitStatus(int status) {
		await().atMost(PATIENCE).until(() -> this.nodes.count("owner IS NULL AND status = " + status) == 1);
	}

	private String progress() {
		return value("progress");
	}

	private String value(String column) {
		return String
			.valueOf(this.nodes.jdbc().queryForObject("SELECT " + column + " FROM outbox_event", String.class));
	}

	static class TwoListeners {

		private final List<String> calls = new CopyOnWriteArrayList<>();

		private final AtomicInteger failuresOfA;

		private final AtomicInteger failuresOfB;

		TwoListeners(int failuresOfA, int failuresOfB) {
			this.failuresOfA = new AtomicInteger(failuresOfA);
			this.failuresOfB = new AtomicInteger(failuresOfB);
		}

		@OutboxListener(value = "thing.happened", id = "a")
		void a(EventEnvelope event, int attempt) {
			called("a" + attempt, this.failuresOfA);
		}

		@OutboxListener(value = "thing.happened", id = "b", maxAttempts = 3)
		void b(EventEnvelope event, int attempt) {
			called("b" + attempt, this.failuresOfB);
		}

		private void called(String call, AtomicInteger failures) {
			this.calls.add(call);
			if (failures.getAndDecrement() > 0) {
				throw new IllegalStateException(call);
			}
		}

	}

	static class TransactionalListeners {

		private final List<String> calls = new CopyOnWriteArrayList<>();

		private final JdbcTemplate jdbc;

		private final AtomicInteger thefts;

		TransactionalListeners(JdbcTemplate jdbc, int thefts) {
			this.jdbc = jdbc;
			this.thefts = new AtomicInteger(thefts);
		}

		@OutboxListener(value = "thing.happened", id = "a.first", transactional = true)
		void first(EventEnvelope event) {
			if (this.thefts.getAndDecrement() > 0) {
				this.jdbc.update("UPDATE outbox_event SET claim = claim + 1");
			}
			this.calls.add("first");
			this.jdbc.update("INSERT INTO business (id) VALUES ('first')");
		}

		@OutboxListener(value = "thing.happened", id = "b.plain")
		void plain(EventEnvelope event, int attempt) {
			this.calls.add("plain" + attempt);
			if (attempt == 1) {
				throw new IllegalStateException("the first time");
			}
		}

		@OutboxListener(value = "thing.happened", id = "c.second", transactional = true)
		void second(EventEnvelope event) {
			this.calls.add("second");
			this.jdbc.update("INSERT INTO business (id) VALUES ('second')");
		}

	}

}
