package dev.outbox.engine;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.outbox.DispatchResult;
import dev.outbox.OutboxListener;
import dev.outbox.RetryAfterException;
import dev.outbox.store.EventRecord;
import dev.outbox.store.EventStatus;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of listeners that want an event later, which is no failure. One attempt is all
 * they have.
 */
@EachDatabase
class DeferralIntegrationTests {

	private static final String ONE_ATTEMPT = "retry.max-attempts=1";

	private final OutboxNodes nodes;

	private final Queue<Integer> attempts = new ConcurrentLinkedQueue<>();

	DeferralIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void aListenerMayAnswerThatItWantsTheEventLater() {
		Outbox node = this.nodes.node(ONE_ATTEMPT);
		AnnotatedListeners.register(node, new Deferring(this.attempts));
		node.start();
		Rows rows = new Rows(this.nodes, node);
		EventRecord row = rows.await(rows.write(node, "Placed"), EventStatus.DONE);
		assertThat(row.attempts()).isZero();
		assertThat(List.copyOf(this.attempts)).containsExactly(1, 1, 1);
		assertThat(node.statistics()).isNotNull().satisfies((statistics) -> assertThat(statistics.failed()).isZero());
	}

	@Test
	void aListenerMayThrowThatItWantsTheEventLater() {
		Outbox node = this.nodes.node(ONE_ATTEMPT);
		node.listeners().register("Placed", (event) -> {
			this.attempts.add(1);
			if (this.attempts.size() < 3) {
				throw new IllegalStateException(new RetryAfterException(Duration.ofMillis(1)));
			}
		});
		node.start();
		Rows rows = new Rows(this.nodes, node);
		EventRecord row = rows.await(rows.write(node, "Placed"), EventStatus.DONE);
		assertThat(row.attempts()).isZero();
		assertThat(row.lastError()).isNull();
		assertThat(this.attempts).hasSize(3);
	}

	@Test
	void theEventWaitsAsLongAsTheListenerSaysButNotLongerThanAllowed() {
		Outbox node = this.nodes.node(ONE_ATTEMPT, "retry.max-deferral=1h");
		node.listeners().register("Placed", (event) -> {
			throw new RetryAfterException(Duration.ofMinutes(30));
		});
		node.listeners().register("Shipped", (event) -> {
			throw new RetryAfterException(Duration.ofDays(30));
		});
		node.start();
		Rows rows = new Rows(this.nodes, node);
		EventRecord placed = rows.await(rows.write(node, "Placed"), EventStatus.RETRY);
		EventRecord shipped = rows.await(rows.write(node, "Shipped"), EventStatus.RETRY);
		assertThat(placed.attempts()).isZero();
		assertThat(Duration.between(placed.createdAt(), placed.availableAt())).isBetween(Duration.ofMinutes(30),
				Duration.ofMinutes(59));
		assertThat(Duration.between(rows.admin().now(), shipped.availableAt())).isPositive()
			.isLessThanOrEqualTo(Duration.ofHours(1));
	}

	/**
	 * Answers twice that it wants the event later.
	 */
	static class Deferring {

		private final Queue<Integer> attempts;

		Deferring(Queue<Integer> attempts) {
			this.attempts = attempts;
		}

		@OutboxListener("Placed")
		DispatchResult on(String payload, int attempt) {
			this.attempts.add(attempt);
			return (this.attempts.size() < 3) ? DispatchResult.retryAfter(Duration.ofMillis(1)) : DispatchResult.done();
		}

	}

}
