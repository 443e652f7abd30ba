package dev.outbox.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import dev.outbox.EventEnvelope;
import dev.outbox.store.EventAdmin;
import dev.outbox.store.EventRecord;
import dev.outbox.store.EventStatus;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of events that are not to be delivered before their time.
 */
@EachDatabase
class DelayedDeliveryIntegrationTests {

	private final OutboxNodes nodes;

	private final Map<String, Instant> delivered = new ConcurrentHashMap<>();

	DelayedDeliveryIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	/**
	 * The poller would not look again for an hour. The transaction goes on a little after
	 * the write, so that the delay is over by the database's clock as well, however
	 * coarse that is.
	 */
	@Test
	void thePollerLooksWhenADelayIsOver() {
		Outbox node = start("poll.interval=1h", "poll.floor=1h");
		Rows rows = new Rows(this.nodes, node);
		String event = Objects.requireNonNull(this.nodes.transactions().execute((status) -> {
			String id = node.writer()
				.write(EventEnvelope.builder("Placed").payloadJson("{}").deliverAfter(Duration.ofMillis(300)).build());
			Instant written = Instant.now();
			await().pollInterval(Duration.ofMillis(1)).until(() -> Instant.now().isAfter(written.plusMillis(5)));
			return id;
		}));
		EventRecord row = rows.get(event);
		assertThat(row.owner()).isNull();
		assertThat(Duration.between(row.createdAt(), row.availableAt())).isEqualTo(Duration.ofMillis(300));
		rows.await(event, EventStatus.DONE);
		assertThat(this.delivered.get(event)).isAfterOrEqualTo(row.availableAt());
	}

	@Test
	void anEventIsNotDeliveredBeforeTheTimeItNames() {
		Outbox node = start("poll.interval=20ms", "poll.floor=1ms");
		Rows rows = new Rows(this.nodes, node);
		Instant due = rows.admin().now().plusMillis(300);
		String event = rows.write(node, EventEnvelope.builder("Placed").payloadJson("{}").availableAt(due).build());
		assertThat(rows.get(event).availableAt()).isEqualTo(due);
		rows.await(event, EventStatus.DONE);
		assertThat(this.delivered.get(event)).isAfterOrEqualTo(due);
	}

	@Test
	void aDelayedEventHoldsNothingUpAndWaitsUntouched() {
		Outbox node = start("poll.interval=20ms", "poll.floor=1ms", "dispatch.hot-queue=1");
		Rows rows = new Rows(this.nodes, node);
		String delayed = rows.write(node,
				EventEnvelope.builder("Placed").payloadJson("{}").deliverAfter(Duration.ofDays(1)).build());
		List<String> others = rows.write(node, "Placed", 50);
		others.forEach((event) -> rows.await(event, EventStatus.DONE));
		EventRecord row = rows.get(delayed);
		assertThat(row.status()).isEqualTo(EventStatus.NEW);
		assertThat(row.claimNumber()).isZero();
		assertThat(this.delivered).doesNotContainKey(delayed);
	}

	@Test
	void aDelayHoldsForEveryNode() {
		Outbox writer = this.nodes.node("dispatch.enabled=false");
		writer.start();
		Outbox node = start("poll.interval=20ms", "poll.floor=1ms");
		Rows rows = new Rows(this.nodes, node);
		String delayed = rows.write(writer,
				EventEnvelope.builder("Placed").payloadJson("{}").deliverAfter(Duration.ofMillis(300)).build());
		Instant due = rows.get(delayed).availableAt();
		rows.await(delayed, EventStatus.DONE);
		assertThat(this.delivered.get(delayed)).isAfterOrEqualTo(due);
	}

	/**
	 * Listeners note the database's time, which is what counts.
	 */
	private Outbox start(String... properties) {
		Outbox node = this.nodes.node(properties);
		EventAdmin admin = new EventAdmin(node.database());
		node.listeners().register("Placed", (event) -> this.delivered.put(event.eventId(), admin.now()));
		node.start();
		return node;
	}

}
