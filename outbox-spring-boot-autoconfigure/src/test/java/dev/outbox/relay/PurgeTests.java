package dev.outbox.relay;

import java.time.Duration;
import java.util.List;

import dev.outbox.EventEnvelope;
import dev.outbox.node.Membership;
import dev.outbox.store.EventRecord;
import dev.outbox.store.OutboxFixture;
import dev.outbox.store.Outcome;
import dev.outbox.store.Settlement;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Purge}.
 */
@EachDatabase
class PurgeTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private final OutboxFixture outbox;

	PurgeTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
	}

	@Test
	void onlyDeliveredEventsThatAreOldAreDeletedByDefault() {
		finish(new Outcome.Done(), 3, Duration.ofDays(8));
		finish(new Outcome.Done(), 2, Duration.ofDays(6));
		finish(new Outcome.Dead("x"), 1, Duration.ofDays(800));
		finish(new Outcome.Retry(Duration.ofDays(1), "x"), 1, Duration.ofDays(800));
		purge(null, properties(null, null)).runOnce();
		assertThat(rows("status = 1")).isEqualTo(2);
		assertThat(rows("status <> 1")).isEqualTo(2);
	}

	@Test
	void deadAndUnfinishedEventsAreDeletedIfThatWasAskedFor() {
		finish(new Outcome.Dead("x"), 1, Duration.ofDays(3));
		finish(new Outcome.Retry(Duration.ofHours(1), "x"), 1, Duration.ofDays(3));
		purge(null, properties(Duration.ofDays(4), Duration.ofDays(2))).runOnce();
		assertThat(rows("status = 3")).isOne();
		assertThat(rows("status = 2")).isZero();
		purge(null, properties(Duration.ofDays(2), null)).runOnce();
		assertThat(this.outbox.rows()).isZero();
	}

	@Test
	void batchFollowsBatchUntilNothingIsLeft() {
		finish(new Outcome.Done(), 25, Duration.ofDays(8));
		assertThat(purge(null, properties(null, null)).runOnce()).isEqualTo(Duration.ofHours(1));
		assertThat(this.outbox.rows()).isZero();
	}

	@Test
	void ofSeveralNodesTheOldestDoesIt() {
		Membership first = join();
		this.outbox.jdbc.update("UPDATE outbox_node SET started_at = started_at - 1000000");
		Membership second = join();
		finish(new Outcome.Done(), 1, Duration.ofDays(8));
		purge(second, properties(null, null)).runOnce();
		assertThat(this.outbox.rows()).isOne();
		purge(first, properties(null, null)).runOnce();
		assertThat(this.outbox.rows()).isZero();
		finish(new Outcome.Done(), 2, Duration.ofDays(8));
		first.leave();
		purge(first, properties(null, null)).runOnce();
		assertThat(this.outbox.rows()).as("who has left does not do it").isEqualTo(2);
		purge(second, properties(null, null)).runOnce();
		assertThat(this.outbox.rows()).isZero();
	}

	@Test
	void aDeadNodeLeavesItToTheOthers() {
		join();
		this.outbox.jdbc.update("UPDATE outbox_node SET started_at = started_at - 1000000, dead_at = 1");
		finish(new Outcome.Done(), 1, Duration.ofDays(8));
		purge(join(), properties(null, null)).runOnce();
		assertThat(this.outbox.rows()).isZero();
	}

	private Membership join() {
		Membership membership = new Membership("outbox", this.outbox.nodes, LEASE);
		membership.join();
		return membership;
	}

	private Purge purge(@Nullable Membership membership, PurgeProperties properties) {
		return new Purge("outbox", this.outbox.admin, this.outbox.nodes, membership, properties);
	}

	private static PurgeProperties properties(@Nullable Duration deadAfter, @Nullable Duration unfinishedAfter) {
		return new PurgeProperties(true, Duration.ofDays(7), deadAfter, unfinishedAfter, Duration.ofHours(1), 10);
	}

	private void finish(Outcome outcome, int count, Duration ago) {
		List<EventEnvelope> events = OutboxFixture.events(count);
		this.outbox.append(null, events);
		List<EventRecord> claimed = this.outbox.claimAll(1);
		this.outbox.settlement
			.settle(claimed.stream().map((row) -> new Settlement(row.claim(), outcome, 1, null)).toList());
		events.forEach((event) -> this.outbox.age(event.eventId(), ago));
	}

	private long rows(String where) {
		Long count = this.outbox.jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event WHERE " + where, Long.class);
		return (count != null) ? count : 0;
	}

}
