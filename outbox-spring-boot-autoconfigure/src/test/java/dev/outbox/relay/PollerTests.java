package dev.outbox.relay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

import dev.outbox.EventEnvelope;
import dev.outbox.dispatch.DispatchFixture;
import dev.outbox.store.EventRecord;
import dev.outbox.store.EventStatus;
import dev.outbox.store.OutboxFixture;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Poller}. The dispatcher is not started, so what is claimed stays in
 * its queue.
 */
@EachDatabase
class PollerTests {

	private static final Duration FLOOR = Duration.ofMillis(50);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	private final TestDatabase database;

	private DispatchFixture node;

	PollerTests(TestDatabase database) {
		this.database = database;
		this.node = DispatchFixture.on(database, "dispatch.cold-queue=10");
		listen(this.node);
	}

	@AfterEach
	void close() {
		this.node.close();
	}

	@Test
	void itNeverClaimsMoreThanThereIsRoomFor() {
		append(25);
		Poller poller = poller(500);
		assertThat(poller.runOnce()).isZero();
		assertThat(claimed()).isEqualTo(10);
		assertThat(poller.runOnce()).as("it is called back").isEqualTo(INTERVAL);
		assertThat(claimed()).isEqualTo(10);
	}

	@Test
	void aFullBatchIsFollowedByTheNextAtOnce() {
		append(5);
		Poller poller = poller(2);
		assertThat(List.of(poller.runOnce(), poller.runOnce(), poller.runOnce())).containsExactly(Duration.ZERO,
				Duration.ZERO, FLOOR);
		assertThat(claimed()).isEqualTo(5);
	}

	@Test
	void pausesGrowFromTheFloorToTheIntervalUntilSomethingIsFound() {
		Poller poller = poller(4);
		for (long expected : new long[] { 50, 100, 200, 400, 800, 1000, 1000, 1000 }) {
			assertThat(poller.runOnce().toMillis()).isBetween(expected * 8 / 10 - 1, expected * 12 / 10);
		}
		append(1);
		assertThat(poller.runOnce()).isEqualTo(FLOOR);
		assertThat(poller.runOnce()).isLessThan(FLOOR.multipliedBy(2));
	}

	@Test
	void pausesAreShortAgainWhenSomethingShouldBeDue() {
		Poller poller = poller(4);
		for (int i = 0; i < 5; i++) {
			poller.runOnce();
		}
		poller.hurry();
		assertThat(poller.runOnce()).isLessThan(FLOOR.multipliedBy(2));
	}

	@Test
	void pollersDoNotKeepInStep() {
		Set<Duration> pauses = new HashSet<>();
		for (int i = 0; i < 20; i++) {
			pauses.add(poller(4).runOnce());
		}
		assertThat(pauses).hasSizeGreaterThan(10);
	}

	@Test
	void nothingIsClaimedWhileTheLeaseIsInDoubt() {
		this.node.close();
		this.node = DispatchFixture.on(this.database, "node.heartbeat=1ms", "node.lease=2ms");
		listen(this.node);
		await().until(() -> this.node.membership.liveId() == null);
		assertThat(this.node.membership.id()).as("it is still a member").isNotNull();
		append(1);
		assertThat(poller(4).runOnce()).isEqualTo(FLOOR);
		assertThat(claimed()).isZero();
	}

	@Test
	void whatNobodyHereKnowsIsLeftForOthersUntilItHasWaitedLongEnough() {
		EventEnvelope waiting = EventEnvelope.ofJson("unheard.of", "{}");
		EventEnvelope given = EventEnvelope.ofJson("unheard.of", "{}");
		this.node.outbox.append(waiting, given);
		this.node.outbox.age(given.eventId(), Duration.ofHours(25));
		this.node.outbox.age(waiting.eventId(), Duration.ofHours(23));
		poller(4).runOnce();
		this.node.dispatcher.stop(Duration.ofSeconds(30));
		assertThat(row(waiting)).extracting(EventRecord::status, EventRecord::owner, EventRecord::claimNumber)
			.containsExactly(EventStatus.NEW, null, 0);
		assertThat(row(given)).extracting(EventRecord::status, EventRecord::attempts)
			.containsExactly(EventStatus.DEAD, 0);
		assertThat(row(given).lastError())
			.isEqualTo("No node has taken it for PT24H and there is no listener for event type unheard.of here");
	}

	@Test
	void whatAnotherNodeHasTriedIsNotGivenUpHere() {
		EventEnvelope tried = EventEnvelope.ofJson("unheard.of", "{}");
		this.node.outbox.append(tried);
		this.node.outbox.age(tried.eventId(), Duration.ofHours(25));
		this.node.outbox.jdbc.update("UPDATE outbox_event SET status = 2, attempts = 1");
		poller(4).runOnce();
		assertThat(row(tried)).extracting(EventRecord::status, EventRecord::owner)
			.containsExactly(EventStatus.RETRY, null);
		assertThat(this.node.dispatcher.inFlight()).isZero();
	}

	@Test
	void aNodeWithoutListenersGivesNothingUp() {
		this.node.close();
		this.node = DispatchFixture.on(this.database);
		EventEnvelope waiting = EventEnvelope.ofJson("unheard.of", "{}");
		this.node.outbox.append(waiting);
		this.node.outbox.age(waiting.eventId(), Duration.ofHours(25));
		poller(4).runOnce();
		assertThat(row(waiting)).extracting(EventRecord::status, EventRecord::owner)
			.containsExactly(EventStatus.NEW, null);
	}

	private Poller poller(int batch) {
		return new Poller("outbox", this.node.membership, this.node.outbox.claims, this.node.dispatcher,
				new ReentrantLock(), new PollProperties(true, INTERVAL, FLOOR, batch));
	}

	private static void listen(DispatchFixture node) {
		node.listeners.register("OrderPlaced", (event) -> {
		});
	}

	private void append(int count) {
		List<EventEnvelope> events = new ArrayList<>(OutboxFixture.events(count));
		this.node.outbox.append(null, events);
	}

	private EventRecord row(EventEnvelope event) {
		return this.node.outbox.row(event.eventId());
	}

	private long claimed() {
		Long count = this.node.outbox.jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event WHERE owner IS NOT NULL",
				Long.class);
		return (count != null) ? count : 0;
	}

}
