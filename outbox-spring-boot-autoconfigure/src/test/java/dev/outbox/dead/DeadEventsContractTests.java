package dev.outbox.dead;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.EventEnvelope;
import dev.outbox.EventPayload;
import dev.outbox.store.Claim;
import dev.outbox.store.EventStatus;
import dev.outbox.store.OutboxFixture;
import dev.outbox.store.Outcome;
import dev.outbox.store.Settlement;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static dev.outbox.store.OutboxFixture.events;
import static dev.outbox.store.OutboxFixture.idsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Contract: what operators do with dead events.
 */
@EachDatabase
class DeadEventsContractTests {

	private final OutboxFixture outbox;

	private final DeadEvents dead;

	private final List<Duration> pauses = new ArrayList<>();

	private final AtomicInteger replays = new AtomicInteger();

	DeadEventsContractTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
		this.dead = DeadEvents.of("outbox", this.outbox.database, this.replays::incrementAndGet);
	}

	private List<EventEnvelope> dead(int count) {
		List<EventEnvelope> events = events(count);
		kill(events, "mail: x.Failed: broken pipe");
		return events;
	}

	private void kill(List<EventEnvelope> events, String error) {
		this.outbox.append(1L, events);
		this.outbox.settlement.settle(events.stream()
			.map((event) -> new Settlement(new Claim(event.eventId(), 1, 1), new Outcome.Dead(error), 4, null))
			.toList());
	}

	@Test
	void pagesHoldAllDeadEventsInTheOrderOfTheirDeath() {
		List<EventEnvelope> events = dead(7);
		this.outbox.append(null, events(2));
		this.outbox.age(events.get(6).eventId(), Duration.ofHours(1));
		List<String> seen = new ArrayList<>();
		String cursor = null;
		do {
			DeadEventPage page = this.dead.find(DeadEventQuery.builder().cursor(cursor).limit(3).build());
			assertThat(page.events()).hasSizeLessThanOrEqualTo(3);
			page.events().forEach((event) -> seen.add(event.eventId()));
			cursor = page.next();
		}
		while (cursor != null);
		List<String> expected = new ArrayList<>(idsOf(events));
		expected.add(0, expected.remove(6));
		assertThat(seen).containsExactlyElementsOf(expected);
	}

	@Test
	void aCursorThatWasNotHandedOutIsRefused() {
		for (String cursor : List.of("", "%", "1-2", "Zm9v", "MS0y; DROP TABLE")) {
			assertThatIllegalArgumentException()
				.isThrownBy(() -> this.dead.find(DeadEventQuery.builder().cursor(cursor).build()))
				.withMessage("Not a cursor that was handed out");
		}
	}

	@Test
	void eachConditionNarrows() {
		EventEnvelope wanted = EventEnvelope.builder("Wanted")
			.aggregateType("Order")
			.tenantId("acme")
			.payloadJson("{}")
			.build();
		EventEnvelope other = EventEnvelope.builder("Other").payloadJson("{}").build();
		kill(List.of(wanted), "mail: x.Failed: 100%");
		kill(List.of(other), "mailer: x.Failed: 10%");
		this.outbox.age(other.eventId(), Duration.ofHours(2));
		Instant hourAgo = this.outbox.admin.now().minus(Duration.ofHours(1));
		for (DeadEventQuery.Builder query : List.of(DeadEventQuery.builder().eventType("Wanted"),
				DeadEventQuery.builder().aggregateType("Order"), DeadEventQuery.builder().tenantId("acme"),
				DeadEventQuery.builder().listener("mail"), DeadEventQuery.builder().errorContains("100%"),
				DeadEventQuery.builder().diedFrom(hourAgo), DeadEventQuery.builder().createdFrom(hourAgo))) {
			assertOnly(wanted, query.build());
		}
		assertOnly(other, DeadEventQuery.builder().diedBefore(hourAgo).build());
		assertOnly(other, DeadEventQuery.builder().createdBefore(hourAgo).build());
		this.dead.replayAll(DeadEventQuery.builder().diedBefore(hourAgo).build(), ReplayOptions.upTo(10));
		assertOnly(wanted, DeadEventQuery.ofAll());
	}

	private void assertOnly(EventEnvelope event, DeadEventQuery query) {
		assertThat(this.dead.find(query).events()).as(query.toString())
			.extracting(DeadEvent::eventId)
			.containsExactly(event.eventId());
		assertThat(this.dead.count(query)).isOne();
	}

	@Test
	void anEventIsShownAsItIs() {
		EventEnvelope event = EventEnvelope.builder("OrderPlaced")
			.aggregateType("Order")
			.aggregateId("4711")
			.tenantId("acme")
			.header("secret", "token")
			.payloadJson("{\"card\":\"4111\"}")
			.build();
		kill(List.of(event), "mail: x.Failed: no");
		DeadEvent found = this.dead.get(event.eventId()).orElseThrow();
		assertThat(found).isEqualTo(this.dead.find(DeadEventQuery.ofAll()).events().get(0));
		assertThat(found.payload()).isEqualTo(EventPayload.text("{\"card\":\"4111\"}"));
		assertThat(found.headers()).isEqualTo("{\"secret\":\"token\"}");
		assertThat(found.lastError()).isEqualTo("mail: x.Failed: no");
		assertThat(found.attempts()).isEqualTo(4);
		assertThat(found.key()).isEqualTo("4711");
		assertThat(found.diedAt()).isAfterOrEqualTo(found.createdAt());
		assertThat(found.toString()).contains(event.eventId(), "OrderPlaced").doesNotContain("4111", "token");
	}

	@Test
	void onlyDeadEventsAreShownReplayedOrDiscarded() {
		EventEnvelope pending = events(1).get(0);
		this.outbox.append(pending);
		assertThat(this.dead.get(pending.eventId())).isEmpty();
		assertThat(this.dead.get("unknown")).isEmpty();
		assertThatExceptionOfType(EventNotDeadException.class).isThrownBy(() -> this.dead.replay(pending.eventId()))
			.withMessage("Event %s is not DEAD but NEW", pending.eventId())
			.satisfies((ex) -> assertThat(ex.status()).isEqualTo(EventStatus.NEW));
		assertThatExceptionOfType(EventNotDeadException.class).isThrownBy(() -> this.dead.discard(pending.eventId()));
		assertThatExceptionOfType(EventNotDeadException.class).isThrownBy(() -> this.dead.replay("unknown"))
			.withMessageStartingWith("There is no event unknown")
			.satisfies((ex) -> assertThat(ex.status()).isNull());
		assertThatExceptionOfType(EventNotDeadException.class).isThrownBy(() -> this.dead.discard("unknown"));
		assertThat(this.outbox.rows()).isOne();
	}

	@Test
	void aDiscardedEventIsGone() {
		String id = dead(1).get(0).eventId();
		this.dead.discard(id);
		assertThat(this.outbox.rows()).isZero();
		assertThatExceptionOfType(EventNotDeadException.class).isThrownBy(() -> this.dead.discard(id));
	}

	@Test
	void ofFiftyAtOnceOneReplays() throws Exception {
		String id = dead(1).get(0).eventId();
		List<Callable<Boolean>> clicks = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			clicks.add(() -> done(() -> this.dead.replay(id)));
		}
		assertThat(atOnce(clicks)).containsOnlyOnce(true).hasSize(50);
		assertThat(this.outbox.row(id).claimNumber()).isEqualTo(2);
	}

	@Test
	void ofReplayAndPurgeOneWins() throws Exception {
		for (int round = 0; round < 10; round++) {
			String id = dead(1).get(0).eventId();
			List<Boolean> won = atOnce(List.of(() -> done(() -> this.dead.replay(id)),
					() -> this.outbox.admin.purge(EventStatus.DEAD, Duration.ofDays(-1), 10) == 1));
			assertThat(won).containsOnlyOnce(true);
			assertThat(this.outbox.admin.get(id) != null).isEqualTo(won.get(0));
		}
	}

	private static boolean done(Runnable change) {
		try {
			change.run();
			return true;
		}
		catch (EventNotDeadException ex) {
			return false;
		}
	}

	private static <T> List<T> atOnce(List<Callable<T>> calls) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(calls.size());
		try {
			List<T> results = new ArrayList<>();
			for (Future<T> call : threads.invokeAll(calls)) {
				results.add(call.get());
			}
			return results;
		}
		finally {
			threads.shutdownNow();
		}
	}

	@Test
	void manyAreReplayedUpToTheLimit() {
		dead(12);
		assertThat(this.dead.replayAll(DeadEventQuery.ofAll(), ReplayOptions.upTo(5)))
			.isEqualTo(new ReplayReport(false, 12, 5));
		assertThat(this.dead.replayAll(DeadEventQuery.builder().listener("mail").build(), ReplayOptions.upTo(100)))
			.isEqualTo(new ReplayReport(false, 7, 7));
		assertThat(this.dead.count(DeadEventQuery.ofAll())).isZero();
	}

	@Test
	void aDryRunChangesNothing() {
		dead(3);
		assertThat(this.dead.replayAll(DeadEventQuery.ofAll(), ReplayOptions.upTo(2).asDryRun()))
			.isEqualTo(new ReplayReport(true, 3, 0));
		assertThat(this.dead.count(DeadEventQuery.ofAll())).isEqualTo(3);
	}

	@Test
	void allEventsAreReplayedOnlyIfThatIsSaid() {
		dead(1);
		DeadEventQuery empty = DeadEventQuery.builder().limit(10).build();
		for (ReplayOptions options : List.of(ReplayOptions.upTo(1), ReplayOptions.upTo(1).asDryRun())) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.dead.replayAll(empty, options))
				.withMessageContaining("all()");
		}
		assertThat(this.dead.count(empty)).isOne();
	}

	@Test
	void whoDeliversIsToldOfEachReplay() {
		List<EventEnvelope> events = dead(3);
		this.dead.replay(events.get(0).eventId());
		assertThat(this.replays).hasValue(1);
		this.dead.replayAll(DeadEventQuery.ofAll(), ReplayOptions.upTo(10));
		assertThat(this.replays).hasValue(2);
		this.dead.replayAll(DeadEventQuery.ofAll(), ReplayOptions.upTo(10));
		assertThatExceptionOfType(EventNotDeadException.class)
			.isThrownBy(() -> this.dead.replay(events.get(0).eventId()));
		assertThat(this.replays).hasValue(2);
	}

	@Test
	void aRateSpreadsBatchesOverTime() {
		dead(25);
		DeadEvents paced = new StoredDeadEvents("outbox", this.outbox.admin, this.pauses::add,
				this.replays::incrementAndGet);
		assertThat(paced.replayAll(DeadEventQuery.ofAll(), ReplayOptions.upTo(1000).withRate(100)).replayed())
			.isEqualTo(25);
		assertThat(this.pauses).containsExactly(Duration.ofMillis(100), Duration.ofMillis(100));
		this.pauses.clear();
		dead(4);
		assertThat(paced.replayAll(DeadEventQuery.ofAll(), ReplayOptions.upTo(3).withRate(2)).replayed()).isEqualTo(3);
		assertThat(this.pauses).containsExactly(Duration.ofMillis(500), Duration.ofMillis(500));
		this.pauses.clear();
		paced.replayAll(DeadEventQuery.ofAll(), ReplayOptions.upTo(100));
		assertThat(this.pauses).isEmpty();
	}

	@Test
	void anEventThatDiesAgainMeanwhileIsNotReplayedAgain() {
		dead(3);
		DeadEvents paced = new StoredDeadEvents("outbox", this.outbox.admin, (time) -> {
			this.pauses.add(time);
			this.outbox.jdbc
				.update("UPDATE outbox_event SET status = 3, available_at = available_at + 1000000 WHERE status = 0");
		}, this.replays::incrementAndGet);
		assertThat(paced.replayAll(DeadEventQuery.ofAll(), ReplayOptions.upTo(50).withRate(1)))
			.isEqualTo(new ReplayReport(false, 3, 3));
	}

	@Test
	void aFailureOfTheDatabaseIsThrown() {
		DeadEvents broken = DeadEvents.of("outbox", OutboxFixture.database(new UnreachableDataSource(this.outbox)),
				this.replays::incrementAndGet);
		List<Runnable> operations = List.of(() -> broken.find(DeadEventQuery.ofAll()),
				() -> broken.count(DeadEventQuery.ofAll()), () -> broken.get("x"), () -> broken.replay("x"),
				() -> broken.discard("x"), () -> broken.replayAll(DeadEventQuery.ofAll(), ReplayOptions.upTo(1)));
		for (Runnable operation : operations) {
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(operation::run)
				.havingRootCause()
				.withMessage("unreachable");
		}
	}

}
