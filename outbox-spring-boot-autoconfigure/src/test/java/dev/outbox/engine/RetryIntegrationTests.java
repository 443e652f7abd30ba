package dev.outbox.engine;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.outbox.EventEnvelope;
import dev.outbox.EventListener;
import dev.outbox.store.EventRecord;
import dev.outbox.store.EventStatus;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what becomes of an event whose listener throws.
 */
@EachDatabase
class RetryIntegrationTests {

	private final OutboxNodes nodes;

	private final DeliveryLog log = new DeliveryLog();

	RetryIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void aFailedDeliveryIsRepeatedUntilItSucceeds() {
		Outbox node = start(failing(2), "retry.initial-delay=1ms");
		Rows rows = new Rows(this.nodes, node);
		String event = rows.write(node, "Placed");
		assertThat(rows.await(event, EventStatus.DONE).attempts()).isEqualTo(2);
		assertThat(this.log.calls(event)).isEqualTo(3);
		assertThat(node.statistics()).isNotNull().satisfies((statistics) -> {
			assertThat(statistics.failed()).isEqualTo(2);
			assertThat(statistics.delivered()).isEqualTo(1);
			assertThat(statistics.dead()).isZero();
		});
	}

	@Test
	void betweenTwoAttemptsAnEventWaitsUnclaimedWithItsError() {
		Outbox node = start(failing(1), "retry.initial-delay=1h", "retry.max-delay=1h", "retry.jitter=0");
		Rows rows = new Rows(this.nodes, node);
		EventRecord row = rows.await(rows.write(node, "Placed"), EventStatus.RETRY);
		assertThat(row.attempts()).isEqualTo(1);
		assertThat(row.lastError()).endsWith("java.lang.IllegalStateException: failure 1");
		assertThat(row.doneAt()).isNull();
		Duration wait = Duration.between(rows.admin().now(), row.availableAt());
		assertThat(wait).isPositive().isLessThanOrEqualTo(Duration.ofHours(1));
	}

	@Test
	void anEventIsGivenUpWhenItsAttemptsAreUsedUp() {
		Outbox node = start(failing(Integer.MAX_VALUE), "retry.max-attempts=3", "retry.initial-delay=1ms");
		Rows rows = new Rows(this.nodes, node);
		String event = rows.write(node, "Placed");
		EventRecord row = rows.await(event, EventStatus.DEAD);
		assertThat(row.attempts()).isEqualTo(3);
		assertThat(row.lastError()).endsWith("java.lang.IllegalStateException: failure 3");
		assertThat(row.doneAt()).isNotNull();
		node.listeners().register("Sentinel", this.log);
		rows.await(rows.write(node, "Sentinel"), EventStatus.DONE);
		assertThat(this.log.calls(event)).isEqualTo(3);
		assertThat(node.statistics()).isNotNull().satisfies((statistics) -> assertThat(statistics.dead()).isEqualTo(1));
	}

	@Test
	void thePolicySaysHowLongToWait() {
		Queue<Integer> asked = new ConcurrentLinkedQueue<>();
		Outbox node = this.nodes.node((builder) -> builder.retryPolicy((attempts) -> {
			asked.add(attempts);
			return Duration.ZERO;
		}));
		node.listeners().register("Placed", failing(3));
		node.start();
		Rows rows = new Rows(this.nodes, node);
		rows.await(rows.write(node, "Placed"), EventStatus.DONE);
		assertThat(List.copyOf(asked)).containsExactly(1, 2, 3);
	}

	private EventListener failing(int times) {
		return (event) -> {
			this.log.onEvent(event);
			failFirst(event, times);
		};
	}

	private void failFirst(EventEnvelope event, int times) {
		int call = this.log.calls(event.eventId());
		if (call <= times) {
			throw new IllegalStateException("failure " + call);
		}
	}

	private Outbox start(EventListener listener, String... properties) {
		Outbox node = this.nodes.node(properties);
		node.listeners().register("Placed", listener);
		node.start();
		return node;
	}

}
