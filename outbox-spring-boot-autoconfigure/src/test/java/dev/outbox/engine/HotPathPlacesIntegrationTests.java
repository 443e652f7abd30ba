package dev.outbox.engine;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.outbox.EventEnvelope;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of the hot path's places with real transactions.
 */
@EachDatabase
class HotPathPlacesIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final OutboxNodes nodes;

	private final Map<String, EventEnvelope> delivered = new ConcurrentHashMap<>();

	HotPathPlacesIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void eventsThatAreTooLargeToWaitInMemoryComeThroughThePollerAsTheyWere() {
		Outbox node = start("dispatch.hot-max-bytes=1KB");
		Map<String, EventEnvelope> written = new ConcurrentHashMap<>();
		this.nodes.transactions().executeWithoutResult((status) -> {
			for (int i = 0; i < 20; i++) {
				EventEnvelope.Builder event = EventEnvelope.builder("thing.happened")
					.aggregateType("Thing")
					.aggregateId("thing-" + i)
					.tenantId("tenant")
					.header("name", "välue \uD83D\uDE00");
				EventEnvelope envelope = ((i % 2 == 0) ? event.payloadJson("\"" + "ä".repeat(5000 * (i % 3)) + "\"")
						: event.payloadBytes(new byte[5000 * (i % 3)]))
					.build();
				written.put(envelope.eventId(), envelope);
				node.writer().write(envelope);
			}
		});
		await().atMost(PATIENCE).until(() -> this.delivered.size() == 20);
		assertThat(node.statistics()).isNotNull();
		assertThat(node.statistics().hotRefused()).as("two of three have a payload that is too large").isEqualTo(13);
		assertThat(node.statistics().coldEnqueued()).isEqualTo(13);
		this.delivered.forEach((id, event) -> assertThat(event).isEqualTo(written.get(id)));
	}

	@Test
	void whatIsRolledBackGivesItsPlacesBack() {
		Outbox node = start("dispatch.hot-queue=3", "poll.enabled=false");
		for (int i = 0; i < 5; i++) {
			this.nodes.transactions().executeWithoutResult((status) -> {
				write(node, 3);
				status.setRollbackOnly();
			});
		}
		this.nodes.transactions().executeWithoutResult((status) -> {
			write(node, 1);
			for (int i = 0; i < 5; i++) {
				Object savepoint = status.createSavepoint();
				write(node, 2);
				status.rollbackToSavepoint(savepoint);
			}
			write(node, 2);
		});
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == 3);
		assertThat(node.statistics()).isNotNull();
		assertThat(node.statistics().hotRefused()).isZero();
		assertThat(this.delivered).hasSize(3);
	}

	private static void write(Outbox node, int count) {
		for (int i = 0; i < count; i++) {
			node.writer().write("thing.happened", "{}");
		}
	}

	private Outbox start(String... properties) {
		Outbox node = this.nodes.node(properties);
		node.listeners().register("thing.happened", (event) -> this.delivered.put(event.eventId(), event));
		node.start();
		return node;
	}

}
