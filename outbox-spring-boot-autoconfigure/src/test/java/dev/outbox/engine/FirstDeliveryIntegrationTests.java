package dev.outbox.engine;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.dispatch.DispatchStatistics;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that what is written is delivered, whichever way it takes.
 */
@EachDatabase
class FirstDeliveryIntegrationTests {

	private final TestDatabase database;

	FirstDeliveryIntegrationTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void eventsAreDeliveredHotAndWhatHasNoPlaceIsDeliveredCold() {
		Set<String> delivered = ConcurrentHashMap.newKeySet();
		AtomicInteger calls = new AtomicInteger();
		try (OutboxNodes nodes = new OutboxNodes(this.database)) {
			Outbox node = nodes.node();
			node.listeners().register("thing.happened", (event) -> {
				delivered.add(event.eventId());
				calls.incrementAndGet();
			});
			node.start();
			for (int i = 0; i < 50; i++) {
				nodes.write(node, 1, "thing.happened");
			}
			nodes.write(node, 250, "thing.happened");
			await().atMost(Duration.ofSeconds(30)).until(() -> delivered.size() == 300);
			DispatchStatistics statistics = node.statistics();
			assertThat(statistics).isNotNull();
			assertThat(statistics.hotEnqueued()).isEqualTo(150);
			assertThat(statistics.coldEnqueued()).isEqualTo(150);
			assertThat(calls).hasValue(300);
			await().atMost(Duration.ofSeconds(30)).until(() -> nodes.count("owner IS NOT NULL") == 0);
		}
	}

	@Test
	void aStoppedOutboxCanBeStartedAgain() {
		Set<String> delivered = ConcurrentHashMap.newKeySet();
		try (OutboxNodes nodes = new OutboxNodes(this.database)) {
			Outbox node = nodes.node();
			node.listeners().register("thing.happened", (event) -> delivered.add(event.eventId()));
			node.start();
			nodes.write(node, 1, "thing.happened");
			await().atMost(Duration.ofSeconds(30)).until(() -> delivered.size() == 1);
			node.stop();
			nodes.write(node, 1, "thing.happened");
			node.start();
			nodes.write(node, 1, "thing.happened");
			await().atMost(Duration.ofSeconds(30)).until(() -> delivered.size() == 3);
		}
	}

}
