package dev.outbox.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.outbox.EventEnvelope;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static dev.outbox.store.OutboxFixture.events;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract: outcomes are recorded for many events at once, and only under the claim they
 * were reached with.
 */
@EachDatabase
class SettleContractTests {

	private static final long NODE = 1;

	private final OutboxFixture outbox;

	SettleContractTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
	}

	private List<Claim> claims(int count) {
		List<EventEnvelope> events = events(count);
		this.outbox.append(NODE, events);
		return events.stream().map((event) -> new Claim(event.eventId(), NODE, Claim.BORN)).toList();
	}

	private static Settlement of(Claim claim, Outcome outcome) {
		return new Settlement(claim, outcome, 1, null);
	}

	@Test
	void aDeliveredEventIsDone() {
		Claim claim = claims(1).get(0);
		assertThat(this.outbox.settlement.settle(List.of(of(claim, new Outcome.Done())))).isEqualTo(new Settled(1, 0));
		EventRecord row = this.outbox.row(claim.eventId());
		assertThat(row.status()).isEqualTo(EventStatus.DONE);
		assertThat(row.owner()).isNull();
		assertThat(row.doneAt()).isNotNull().isAfterOrEqualTo(row.createdAt());
	}

	@Test
	void aDeliveredEventCanBeDeletedAtOnce() {
		List<Claim> claims = claims(3);
		Claim stale = new Claim(claims.get(2).eventId(), NODE, 9);
		assertThat(this.outbox.deletingSettlement.settle(List.of(of(claims.get(0), new Outcome.Done()),
				of(claims.get(1), new Outcome.Done()), of(stale, new Outcome.Done()))))
			.isEqualTo(new Settled(2, 1));
		assertThat(this.outbox.rows()).isOne();
	}

	@Test
	void aFailedEventIsDueAgainAfterItsDelayByTheDatabasesClock() {
		Claim claim = claims(1).get(0);
		this.outbox.settlement
			.settle(List.of(new Settlement(claim, new Outcome.Retry(Duration.ofMinutes(5), "boom"), 3, "{\"a\":1}")));
		EventRecord row = this.outbox.row(claim.eventId());
		assertThat(row.status()).isEqualTo(EventStatus.RETRY);
		assertThat(row.attempts()).isEqualTo(3);
		assertThat(row.lastError()).isEqualTo("boom");
		assertThat(row.progress()).isEqualTo("{\"a\":1}");
		assertThat(row.owner()).isNull();
		assertThat(row.doneAt()).isNull();
		assertThat(Duration.between(row.createdAt(), row.availableAt())).isBetween(Duration.ofMinutes(5),
				Duration.ofMinutes(6));
		assertThat(this.outbox.claimAll(2)).isEmpty();
	}

	@Test
	void aDeferredEventKeepsItsErrorAndItsAttempts() {
		Claim claim = claims(1).get(0);
		this.outbox.settlement
			.settle(List.of(new Settlement(claim, new Outcome.Retry(Duration.ZERO, "first"), 1, null)));
		Claim second = this.outbox.claimAll(NODE).get(0).claim();
		this.outbox.settlement
			.settle(List.of(new Settlement(second, new Outcome.Deferred(Duration.ofHours(1)), 1, null)));
		EventRecord row = this.outbox.row(claim.eventId());
		assertThat(row.status()).isEqualTo(EventStatus.RETRY);
		assertThat(row.attempts()).isOne();
		assertThat(row.lastError()).isEqualTo("first");
		assertThat(row.availableAt()).isAfter(Instant.now().plus(Duration.ofMinutes(30)));
	}

	@Test
	void aGivenUpEventIsDead() {
		Claim claim = claims(1).get(0);
		this.outbox.settlement.settle(List.of(new Settlement(claim, new Outcome.Dead("never again"), 10, null)));
		EventRecord row = this.outbox.row(claim.eventId());
		assertThat(row.status()).isEqualTo(EventStatus.DEAD);
		assertThat(row.attempts()).isEqualTo(10);
		assertThat(row.lastError()).isEqualTo("never again");
		assertThat(row.doneAt()).isNotNull();
	}

	@Test
	void allKindsOfOutcomesGoTogether() {
		List<Claim> claims = claims(700);
		List<Settlement> settlements = new ArrayList<>();
		for (int i = 0; i < claims.size(); i++) {
			Outcome outcome = switch (i % 4) {
				case 0 -> new Outcome.Done();
				case 1 -> new Outcome.Retry(Duration.ofSeconds(i), "error " + i);
				case 2 -> new Outcome.Deferred(Duration.ofSeconds(i));
				default -> new Outcome.Dead("dead " + i);
			};
			settlements.add(new Settlement(claims.get(i), outcome, i, "p" + i));
		}
		assertThat(this.outbox.settlement.settle(settlements)).isEqualTo(new Settled(700, 0));
		for (EventStatus status : EventStatus.values()) {
			long expected = switch (status) {
				case NEW -> 0;
				case DONE, DEAD -> 175;
				case RETRY -> 350;
			};
			assertThat(this.outbox.admin.count(status, EventFilter.NONE)).as(status.name()).isEqualTo(expected);
		}
		EventRecord row = this.outbox.row(claims.get(401).eventId());
		assertThat(row.lastError()).isEqualTo("error 401");
		assertThat(row.attempts()).isEqualTo(401);
		assertThat(row.progress()).isEqualTo("p401");
	}

	@Test
	void anOutcomeWithoutTheClaimChangesNothing() {
		List<Claim> claims = claims(4);
		this.outbox.nodeClaims.releaseAll(NODE);
		this.outbox.claimAll(2);
		List<Settlement> late = List.of(of(claims.get(0), new Outcome.Done()),
				of(claims.get(1), new Outcome.Retry(Duration.ZERO, "late")),
				of(claims.get(2), new Outcome.Deferred(Duration.ZERO)), of(claims.get(3), new Outcome.Dead("late")));
		assertThat(this.outbox.settlement.settle(late)).isEqualTo(new Settled(0, 4));
		assertThat(this.outbox.deletingSettlement.settle(late.subList(0, 1))).isEqualTo(new Settled(0, 1));
		for (Claim claim : claims) {
			EventRecord row = this.outbox.row(claim.eventId());
			assertThat(row.status()).isEqualTo(EventStatus.NEW);
			assertThat(row.claim()).isEqualTo(new Claim(claim.eventId(), 2, 2));
			assertThat(row.lastError()).isNull();
		}
	}

	@Test
	void anOlderClaimOfTheSameNodeDoesNotPassForItsNewerOne() {
		Claim first = claims(1).get(0);
		this.outbox.claims.release(List.of(first));
		this.outbox.claimAll(NODE);
		assertThat(this.outbox.settlement.settle(List.of(of(first, new Outcome.Done())))).isEqualTo(new Settled(0, 1));
		assertThat(this.outbox.row(first.eventId()).status()).isEqualTo(EventStatus.NEW);
	}

	@Test
	void anOutcomeCannotBeRecordedTwice() {
		Claim claim = claims(1).get(0);
		assertThat(this.outbox.settlement.settle(List.of(of(claim, new Outcome.Done())))).isEqualTo(new Settled(1, 0));
		assertThat(this.outbox.settlement.settle(List.of(of(claim, new Outcome.Dead("again")))))
			.isEqualTo(new Settled(0, 1));
		assertThat(this.outbox.row(claim.eventId()).status()).isEqualTo(EventStatus.DONE);
	}

	@Test
	void anyErrorTextIsStored() {
		List<String> errors = List.of("", "x".repeat(100_000), "nul \u0000 nul", "half \uD83D", "😀".repeat(3000),
				"multi\nline\ttext", "'; DROP TABLE outbox_event; --");
		List<Claim> claims = claims(errors.size());
		List<Settlement> settlements = new ArrayList<>();
		for (int i = 0; i < errors.size(); i++) {
			settlements.add(of(claims.get(i), new Outcome.Dead(errors.get(i))));
		}
		assertThat(this.outbox.settlement.settle(settlements)).isEqualTo(new Settled(errors.size(), 0));
		assertThat(this.outbox.row(claims.get(1).eventId()).lastError()).hasSize(4000);
		assertThat(this.outbox.row(claims.get(2).eventId()).lastError()).isEqualTo("nul \uFFFD nul");
		assertThat(this.outbox.row(claims.get(3).eventId()).lastError()).isEqualTo("half \uFFFD");
		assertThat(this.outbox.row(claims.get(4).eventId()).lastError()).isEqualTo("😀".repeat(2000));
	}

	@Test
	void aRowThatTheDatabaseRefusesDoesNotHoldUpTheOthers() {
		List<Claim> claims = claims(9);
		List<Settlement> settlements = new ArrayList<>();
		for (int i = 0; i < claims.size(); i++) {
			settlements.add(new Settlement(claims.get(i), new Outcome.Retry(Duration.ofSeconds(1), "e"),
					(i == 4) ? -7 : 1, null));
		}
		refuseNegativeAttempts();
		try {
			Settled settled = this.outbox.settlement.settle(settlements);
			assertThat(settled.recorded()).isEqualTo(8);
			assertThat(settled.fenced()).isZero();
			assertThat(settled.refused()).containsOnlyKeys(claims.get(4));
		}
		finally {
			allowNegativeAttempts();
		}
		assertThat(this.outbox.admin.count(EventStatus.RETRY, EventFilter.NONE)).isEqualTo(8);
		assertThat(this.outbox.row(claims.get(4).eventId()).status()).isEqualTo(EventStatus.NEW);
	}

	private void refuseNegativeAttempts() {
		if (this.outbox.source.database() == TestDatabase.SQLITE) {
			this.outbox.jdbc.execute("""
					CREATE TRIGGER refuse BEFORE UPDATE ON outbox_event WHEN NEW.attempts < 0
					BEGIN SELECT RAISE(ABORT, 'negative'); END""");
		}
		else {
			this.outbox.jdbc.execute("ALTER TABLE outbox_event ADD CONSTRAINT refuse CHECK (attempts >= 0)");
		}
	}

	private void allowNegativeAttempts() {
		this.outbox.jdbc.execute((this.outbox.source.database() == TestDatabase.SQLITE) ? "DROP TRIGGER refuse"
				: "ALTER TABLE outbox_event DROP CONSTRAINT refuse");
	}

}
