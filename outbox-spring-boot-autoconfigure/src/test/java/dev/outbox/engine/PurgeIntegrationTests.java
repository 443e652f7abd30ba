package dev.outbox.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import dev.outbox.store.EventStatus;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of which events are deleted, and which never are.
 */
@EachDatabase
class PurgeIntegrationTests {

	private static final long HOUR = 3_600_000_000L;

	private final OutboxNodes nodes;

	private final Outbox writer;

	private final Rows rows;

	private final DeliveryLog log = new DeliveryLog();

	PurgeIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
		this.writer = this.nodes.node("dispatch.enabled=false");
		this.rows = new Rows(this.nodes, this.writer);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void onlyDeliveredEventsThatAreOldEnoughArePurged() {
		Outbox node = start("purge.done-after=2h");
		String young = event("status = 1", 1);
		List<String> unfinished = List.of(event("status = 0", 3), event("status = 2", 3), event("status = 3", 3),
				event("status = 0, owner = " + node.nodeId(), 3), event("status = 2, owner = " + node.nodeId(), 3));
		awaitPurges();
		assertThat(unfinished).allMatch(this.rows::has);
		assertThat(this.rows.has(young)).isTrue();
	}

	@Test
	void deadEventsHaveAnAgeOfTheirOwn() {
		start("purge.done-after=2h", "purge.dead-after=10h");
		String young = event("status = 3", 9);
		String old = event("status = 3", 11);
		await().atMost(Duration.ofSeconds(30)).until(() -> !this.rows.has(old));
		awaitPurges();
		assertThat(this.rows.has(young)).isTrue();
	}

	@Test
	void unfinishedEventsArePurgedOnlyIfThatIsAskedForAndNobodyHasClaimedThem() {
		Outbox node = start("purge.done-after=2h", "purge.unfinished-after=10h");
		String claimed = event("status = 0, owner = " + node.nodeId(), 11);
		String dead = event("status = 3", 11);
		String young = event("status = 2", 9);
		List<String> old = List.of(event("status = 0", 11), event("status = 2", 11));
		await().atMost(Duration.ofSeconds(30)).until(() -> old.stream().noneMatch(this.rows::has));
		awaitPurges();
		assertThat(List.of(claimed, dead, young)).allMatch(this.rows::has);
	}

	@Test
	void deliveredEventsCanBeDeletedAtOnce() {
		Outbox node = this.nodes.node("completion.mode=delete", "retry.max-attempts=1");
		node.listeners().register("Placed", this.log);
		node.listeners().register("Broken", (event) -> {
			throw new IllegalStateException("broken");
		});
		node.start();
		List<String> events = this.rows.write(node, "Placed", 150);
		String broken = this.rows.write(node, "Broken");
		this.rows.await(broken, EventStatus.DEAD);
		await().atMost(Duration.ofSeconds(30)).until(() -> this.nodes.count("1 = 1") == 1);
		this.log.assertOnceEach(events);
	}

	/**
	 * Wait until a purge has run from its beginning, which is the delivered events, to
	 * its end.
	 */
	private void awaitPurges() {
		for (int i = 0; i < 2; i++) {
			String delivered = event("status = 1", 3);
			await().atMost(Duration.ofSeconds(30)).until(() -> !this.rows.has(delivered));
		}
	}

	private String event(String columns, int hoursAgo) {
		String event = this.rows.write(this.writer, "Forgotten");
		this.nodes.jdbc()
			.update("UPDATE outbox_event SET " + columns + ", available_at = available_at - ?, created_at = "
					+ "created_at - ? WHERE event_id = ?", hoursAgo * HOUR, hoursAgo * HOUR, event);
		return event;
	}

	private Outbox start(String retention, String... properties) {
		String[] all = Arrays.copyOf(properties, properties.length + 2);
		all[properties.length] = retention;
		all[properties.length + 1] = "purge.interval=1ms";
		Outbox node = this.nodes.node(all);
		node.start();
		return node;
	}

}
