package dev.outbox.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.outbox.EventEnvelope;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static dev.outbox.store.OutboxFixture.event;
import static dev.outbox.store.OutboxFixture.events;
import static dev.outbox.store.OutboxFixture.ids;
import static dev.outbox.store.OutboxFixture.idsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Contract: what operators find, replay, discard and purge.
 */
@EachDatabase
class AdminContractTests {

	private final OutboxFixture outbox;

	AdminContractTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
	}

	private List<EventEnvelope> dead(int count) {
		List<EventEnvelope> events = events(count);
		this.outbox.append(1L, events);
		settle(events, new Outcome.Dead("broken pipe"));
		return events;
	}

	private void settle(List<EventEnvelope> events, Outcome outcome) {
		this.outbox.settlement.settle(events.stream()
			.map((event) -> new Settlement(new Claim(event.eventId(), 1, 1), outcome, 1, null))
			.toList());
	}

	@Test
	void pagesNeitherSkipNorRepeatWhileRowsComeAndGo() {
		List<EventEnvelope> events = dead(23);
		List<String> seen = new ArrayList<>();
		EventPage.Cursor cursor = EventPage.Cursor.START;
		while (cursor != null) {
			EventPage page = this.outbox.admin.find(EventStatus.DEAD, EventFilter.NONE, cursor, 5);
			seen.addAll(ids(page.events()));
			cursor = (page.next() != null) ? EventPage.Cursor.parse(page.next().toString()) : null;
			this.outbox.admin.discard(seen.get(0));
			events.addAll(dead((seen.size() == 5) ? 2 : 0));
		}
		assertThat(seen).containsExactlyElementsOf(idsOf(events));
		assertThatIllegalArgumentException().isThrownBy(() -> EventPage.Cursor.parse("1; DROP TABLE"));
	}

	@Test
	void pendingEventsAreFoundWhetherClaimedOrNot() {
		List<EventEnvelope> events = events(6);
		this.outbox.append(null, events.subList(0, 3));
		this.outbox.append(1L, events.subList(3, 6));
		assertThat(ids(this.outbox.admin.find(EventStatus.NEW, EventFilter.NONE, EventPage.Cursor.START, 4).events()))
			.containsExactlyElementsOf(idsOf(events.subList(0, 4)));
		assertThat(this.outbox.admin.count(EventStatus.NEW, EventFilter.NONE)).isEqualTo(6);
	}

	@Test
	void eachFilterNarrows() {
		EventEnvelope wanted = EventEnvelope.builder("Wanted")
			.aggregateType("Order")
			.aggregateId("4711")
			.key("k")
			.tenantId("acme")
			.payloadJson("{}")
			.build();
		EventEnvelope other = EventEnvelope.builder("wanted")
			.aggregateType("order")
			.aggregateId("471")
			.key("K")
			.tenantId("ACME")
			.payloadJson("{}")
			.build();
		this.outbox.append(1L, List.of(wanted, other));
		settle(List.of(wanted), new Outcome.Dead("100% of_it!: failed"));
		settle(List.of(other), new Outcome.Dead("100% OF_IT!: failed"));
		this.outbox.age(other.eventId(), Duration.ofHours(2));
		Instant hourAgo = this.outbox.row(wanted.eventId()).createdAt().minus(Duration.ofHours(1));
		List<EventFilter> filters = List.of(EventFilter.ofType("Wanted"),
				EventFilter.builder().aggregateType("Order").build(), EventFilter.builder().aggregateId("4711").build(),
				EventFilter.builder().key("k").build(), EventFilter.builder().tenantId("acme").build(),
				EventFilter.builder().errorContains("% of_it!").build(),
				EventFilter.builder().failedListener("100% of_it!").build(),
				EventFilter.builder().createdFrom(hourAgo).build(),
				EventFilter.builder().availableFrom(hourAgo).build());
		for (EventFilter filter : filters) {
			assertThat(ids(this.outbox.admin.find(EventStatus.DEAD, filter, EventPage.Cursor.START, 10).events()))
				.as(filter.toString())
				.containsExactly(wanted.eventId());
			assertThat(this.outbox.admin.count(EventStatus.DEAD, filter)).isOne();
		}
		for (EventFilter filter : List.of(EventFilter.builder().createdBefore(hourAgo).build(),
				EventFilter.builder().availableBefore(hourAgo).build())) {
			assertThat(ids(this.outbox.admin.find(EventStatus.DEAD, filter, EventPage.Cursor.START, 10).events()))
				.as(filter.toString())
				.containsExactly(other.eventId());
		}
	}

	@Test
	void theListenerIsWhatTheErrorBeginsWithUpToTheColon() {
		List<EventEnvelope> events = events(4);
		this.outbox.append(1L, events);
		List<String> errors = List.of("mail: x.Failed: no", "mailer: x.Failed: no", "audit: x.Failed: mail: no",
				"Mail: x.Failed: no");
		for (int i = 0; i < 4; i++) {
			settle(events.subList(i, i + 1), new Outcome.Dead(errors.get(i)));
		}
		EventFilter mail = EventFilter.builder().failedListener("mail").build();
		assertThat(ids(this.outbox.admin.find(EventStatus.DEAD, mail, EventPage.Cursor.START, 10).events()))
			.containsExactly(events.get(0).eventId());
		assertThat(this.outbox.admin.replayAll(mail, 10)).isOne();
		assertThat(this.outbox.row(events.get(0).eventId()).status()).isEqualTo(EventStatus.NEW);
	}

	@Test
	void aDeadEventIsReplayedOnceHoweverOftenItIsClicked() throws Exception {
		EventEnvelope event = dead(1).get(0);
		ExecutorService clicks = Executors.newFixedThreadPool(8);
		try {
			List<Callable<Boolean>> calls = new ArrayList<>();
			for (int i = 0; i < 50; i++) {
				calls.add(() -> this.outbox.admin.replay(event.eventId()));
			}
			int replayed = 0;
			for (Future<Boolean> call : clicks.invokeAll(calls)) {
				replayed += call.get() ? 1 : 0;
			}
			assertThat(replayed).isOne();
		}
		finally {
			clicks.shutdownNow();
		}
		EventRecord row = this.outbox.row(event.eventId());
		assertThat(row.status()).isEqualTo(EventStatus.NEW);
		assertThat(row.attempts()).isZero();
		assertThat(row.doneAt()).isNull();
		assertThat(row.lastError()).isEqualTo("broken pipe");
		assertThat(row.claimNumber()).as("the number only grows").isEqualTo(2);
		assertThat(ids(this.outbox.claimAll(2))).containsExactly(event.eventId());
	}

	@Test
	void onlyDeadEventsAreReplayedOrDiscarded() {
		List<EventEnvelope> events = events(2);
		this.outbox.append(1L, events);
		settle(events.subList(0, 1), new Outcome.Done());
		for (EventEnvelope event : events) {
			assertThat(this.outbox.admin.replay(event.eventId())).isFalse();
			assertThat(this.outbox.admin.discard(event.eventId())).isFalse();
		}
		assertThat(this.outbox.admin.replay("unknown")).isFalse();
		assertThat(this.outbox.rows()).isEqualTo(2);
	}

	@Test
	void manyDeadEventsAreReplayedOldestFirst() {
		List<EventEnvelope> events = dead(1203);
		EventEnvelope oldest = events.get(700);
		this.outbox.age(oldest.eventId(), Duration.ofHours(1));
		assertThat(this.outbox.admin.replayAll(EventFilter.NONE, 1)).isOne();
		assertThat(this.outbox.row(oldest.eventId()).status()).isEqualTo(EventStatus.NEW);
		assertThat(this.outbox.admin.replayAll(EventFilter.ofType("Nothing"), 10)).isZero();
		assertThat(this.outbox.admin.replayAll(EventFilter.NONE, 7)).isEqualTo(7);
		assertThat(this.outbox.admin.replayAll(EventFilter.ofType("OrderPlaced"), 5000)).isEqualTo(1195);
		assertThat(this.outbox.admin.count(EventStatus.NEW, EventFilter.NONE)).isEqualTo(events.size());
	}

	@Test
	void aDiscardedEventIsGone() {
		EventEnvelope event = dead(1).get(0);
		assertThat(this.outbox.admin.discard(event.eventId())).isTrue();
		assertThat(this.outbox.admin.get(event.eventId())).isNull();
	}

	@Test
	void purgeTakesWhatIsFinishedAndOldEnoughAndNothingElse() {
		List<EventEnvelope> events = events(10);
		this.outbox.append(1L, events);
		settle(events.subList(0, 4), new Outcome.Done());
		settle(events.subList(4, 6), new Outcome.Dead("dead"));
		settle(events.subList(6, 8), new Outcome.Retry(Duration.ZERO, "again"));
		events.forEach((event) -> this.outbox.age(event.eventId(), Duration.ofDays(8)));
		this.outbox.age(events.get(3).eventId(), Duration.ofDays(-3));
		assertThat(this.outbox.admin.purge(EventStatus.DONE, Duration.ofDays(7), 2)).isEqualTo(2);
		assertThat(this.outbox.admin.purge(EventStatus.DONE, Duration.ofDays(7), 2)).isOne();
		assertThat(this.outbox.admin.purge(EventStatus.DONE, Duration.ofDays(7), 2)).isZero();
		assertThat(this.outbox.rows()).isEqualTo(7);
		assertThat(this.outbox.admin.purge(EventStatus.DEAD, Duration.ofDays(7), 100)).isEqualTo(2);
		assertThat(this.outbox.rows()).isEqualTo(5);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.outbox.admin.purge(EventStatus.NEW, Duration.ZERO, 1));
	}

	@Test
	void purgeOfUnfinishedEventsTakesWhatIsDueForLongAndUnclaimed() {
		List<EventEnvelope> claimed = events(5);
		this.outbox.append(1L, claimed);
		settle(claimed.subList(0, 1), new Outcome.Done());
		settle(claimed.subList(1, 2), new Outcome.Dead("dead"));
		settle(claimed.subList(2, 4), new Outcome.Retry(Duration.ZERO, "again"));
		List<EventEnvelope> unclaimed = events(5);
		this.outbox.append(null, unclaimed);
		claimed.forEach((event) -> this.outbox.age(event.eventId(), Duration.ofDays(8)));
		unclaimed.subList(0, 3).forEach((event) -> this.outbox.age(event.eventId(), Duration.ofDays(8)));
		this.outbox.age(unclaimed.get(3).eventId(), Duration.ofDays(6));
		assertThat(this.outbox.admin.purgeUnfinished(Duration.ofDays(7), 2)).isEqualTo(2);
		assertThat(this.outbox.admin.purgeUnfinished(Duration.ofDays(7), 2)).isEqualTo(2);
		assertThat(this.outbox.admin.purgeUnfinished(Duration.ofDays(7), 2)).isOne();
		assertThat(this.outbox.admin.purgeUnfinished(Duration.ofDays(7), 2)).isZero();
		for (EventEnvelope event : List.of(claimed.get(0), claimed.get(1), claimed.get(4), unclaimed.get(3),
				unclaimed.get(4))) {
			assertThat(this.outbox.admin.get(event.eventId())).isNotNull();
		}
		assertThat(this.outbox.rows()).isEqualTo(5);
	}

	@Test
	void purgeOfUnfinishedEventsNeverTakesOneThatANodeGets() throws Exception {
		this.outbox.append(null, events(200));
		ExecutorService threads = Executors.newFixedThreadPool(2);
		try {
			Future<List<String>> claims = threads.submit(() -> {
				List<String> ids = new ArrayList<>();
				for (int i = 0; i < 30; i++) {
					ids.addAll(ids(this.outbox.claims.claim(7, EventSelection.all(), 3)));
				}
				return ids;
			});
			Future<Integer> purge = threads.submit(() -> {
				int purged = 0;
				for (int i = 0; i < 30; i++) {
					purged += this.outbox.admin.purgeUnfinished(Duration.ofDays(-1), 3);
				}
				return purged;
			});
			assertThat(claims.get().size() + purge.get() + unclaimed()).isEqualTo(200);
			for (String id : claims.get()) {
				assertThat(this.outbox.admin.get(id)).isNotNull();
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

	private int unclaimed() {
		return this.outbox.claimAll(8).size();
	}

	@Test
	void theDatabaseTellsTheTime() {
		EventEnvelope event = event();
		this.outbox.append(event);
		Instant written = this.outbox.row(event.eventId()).createdAt();
		assertThat(this.outbox.admin.now()).isBetween(written, written.plusSeconds(60));
	}

	@Test
	void noInterleavingLetsAnUnfinishedEventDisappear() {
		Random random = new Random(11);
		List<EventEnvelope> events = events(40);
		this.outbox.append(events.toArray(EventEnvelope[]::new));
		List<Claim> held = new ArrayList<>();
		long finishedAndGone = 0;
		for (int step = 0; step < 300; step++) {
			switch (random.nextInt(6)) {
				case 0, 1 ->
					this.outbox.claims.claim(1, EventSelection.all(), 3).forEach((event) -> held.add(event.claim()));
				case 2 -> takeOne(held, random, new Outcome.Done());
				case 3 -> takeOne(held, random, new Outcome.Retry(Duration.ZERO, "again"));
				case 4 -> takeOne(held, random, new Outcome.Dead("dead"));
				default -> {
					this.outbox.admin.replayAll(EventFilter.NONE, 1);
					long unfinished = unfinished();
					finishedAndGone += this.outbox.admin.purge(EventStatus.DONE, Duration.ZERO, 5);
					assertThat(unfinished()).isEqualTo(unfinished);
				}
			}
		}
		assertThat(this.outbox.rows() + finishedAndGone).isEqualTo(40);
		assertThat(finishedAndGone).isPositive();
	}

	private long unfinished() {
		return this.outbox.admin.count(EventStatus.NEW, EventFilter.NONE)
				+ this.outbox.admin.count(EventStatus.RETRY, EventFilter.NONE)
				+ this.outbox.admin.count(EventStatus.DEAD, EventFilter.NONE);
	}

	private void takeOne(List<Claim> held, Random random, Outcome outcome) {
		if (!held.isEmpty()) {
			Claim claim = held.remove(random.nextInt(held.size()));
			this.outbox.settlement.settle(List.of(new Settlement(claim, outcome, 1, null)));
		}
	}

}
