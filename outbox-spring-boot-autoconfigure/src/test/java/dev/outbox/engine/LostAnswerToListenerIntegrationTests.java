package dev.outbox.engine;

import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxListener;
import dev.outbox.engine.FaultyDataSource.CommitFault;
import dev.outbox.store.EventStatus;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of a transactional listener whose commit succeeds without telling so, while
 * another listener of the event fails.
 */
@EachDatabase
class LostAnswerToListenerIntegrationTests {

	private final OutboxNodes nodes;

	private final FaultyDataSource dataSource;

	LostAnswerToListenerIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
		this.dataSource = new FaultyDataSource(this.nodes.dataSource().dataSource());
		this.nodes.jdbc().execute("CREATE TABLE effect (event_id VARCHAR(36))");
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void whatItDidIsNotDoneAgain() {
		Outbox node = this.nodes.node(
				(builder) -> builder.dataSource(this.dataSource)
					.transactionManager(new JdbcTransactionManager(this.dataSource)),
				"retry.initial-delay=1ms", "poll.interval=100ms", "node.lease=400ms", "node.heartbeat=100ms",
				"node.reaper=false");
		Listeners listeners = new Listeners();
		AnnotatedListeners.register(node, listeners);
		node.start();
		Rows rows = new Rows(this.nodes, node);
		rows.await(rows.write(node, "Placed"), EventStatus.DONE);
		assertThat(listeners.failing).as("calls of the other one").hasValue(2);
		assertThat(this.nodes.jdbc().queryForObject("SELECT COUNT(*) FROM effect", Integer.class)).isOne();
	}

	class Listeners {

		private final AtomicInteger failing = new AtomicInteger();

		@OutboxListener(value = "Placed", id = "a", transactional = true)
		void effect(EventEnvelope event) {
			LostAnswerToListenerIntegrationTests.this.dataSource.failNextCommitHere(CommitFault.COMMITS_WITH_ERROR);
			new JdbcTemplate(LostAnswerToListenerIntegrationTests.this.dataSource)
				.update("INSERT INTO effect (event_id) VALUES (?)", event.eventId());
		}

		@OutboxListener(value = "Placed", id = "b")
		void fail(EventEnvelope event) {
			if (this.failing.incrementAndGet() == 1) {
				throw new IllegalStateException("once");
			}
		}

	}

}
