package dev.outbox.store;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.outbox.EventEnvelope;
import dev.outbox.InvalidEventException;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static dev.outbox.store.OutboxFixture.event;
import static dev.outbox.store.OutboxFixture.events;
import static dev.outbox.store.OutboxFixture.ids;
import static dev.outbox.store.OutboxFixture.idsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Contract: who gets which event, and who keeps it.
 */
@EachDatabase
class ClaimContractTests {

	private static final long NODE = 0x1234_5678_9abc_def0L;

	private static final long OTHER = 2;

	private final OutboxFixture outbox;

	ClaimContractTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
	}

	@Test
	void eventsAreClaimedInTheOrderInWhichTheyBecameDue() {
		List<EventEnvelope> events = events(50);
		events.forEach((event) -> this.outbox.append(event));
		this.outbox.age(events.get(40).eventId(), Duration.ofMinutes(2));
		this.outbox.age(events.get(41).eventId(), Duration.ofMinutes(1));
		List<EventRecord> first = this.outbox.claims.claim(NODE, EventSelection.all(), 4);
		assertThat(ids(first)).containsExactly(events.get(40).eventId(), events.get(41).eventId(),
				events.get(0).eventId(), events.get(1).eventId());
		assertThat(first)
			.allSatisfy((event) -> assertThat(event.claim()).isEqualTo(this.outbox.row(event.eventId()).claim()));
		assertThat(ids(this.outbox.claims.claim(OTHER, EventSelection.all(), 3)))
			.containsExactlyElementsOf(idsOf(events.subList(2, 5)));
	}

	@Test
	void aClaimReturnsTheWholeEvent() {
		EventEnvelope event = event((builder) -> builder.aggregateId("1").header("a", "b"));
		this.outbox.append(event);
		EventRecord claimed = this.outbox.claimAll(NODE).get(0);
		assertThat(claimed.envelope()).isEqualTo(event);
		assertThat(claimed).isEqualTo(this.outbox.row(event.eventId()));
		assertThat(claimed.claimNumber()).isOne();
	}

	@Test
	void newAndRetriedEventsAreClaimedTogetherInOrder() {
		List<EventEnvelope> events = events(6);
		events.forEach((event) -> this.outbox.append(event));
		events.forEach((event) -> this.outbox.age(event.eventId(), Duration.ofMinutes(1)));
		List<EventRecord> claimed = this.outbox.claims.claim(NODE, EventSelection.all(), 2);
		this.outbox.settlement.settle(claimed.stream()
			.map((event) -> new Settlement(event.claim(), new Outcome.Retry(Duration.ZERO, "again"), 1, null))
			.toList());
		assertThat(ids(this.outbox.claimAll(NODE))).startsWith(idsOf(events.subList(2, 6)).toArray(String[]::new))
			.hasSize(6);
	}

	@Test
	void whatIsNotDueIsNotClaimed() {
		this.outbox.append(event((builder) -> builder.deliverAfter(Duration.ofMinutes(1))));
		assertThat(this.outbox.claimAll(NODE)).isEmpty();
	}

	@Test
	void finishedEventsAreNotClaimed() {
		this.outbox.append(events(2).toArray(EventEnvelope[]::new));
		List<EventRecord> claimed = this.outbox.claimAll(NODE);
		this.outbox.settlement.settle(List.of(new Settlement(claimed.get(0).claim(), new Outcome.Done(), 0, null),
				new Settlement(claimed.get(1).claim(), new Outcome.Dead("no"), 1, null)));
		assertThat(this.outbox.claimAll(OTHER)).isEmpty();
	}

	@Test
	void onlyTheSelectedKindsAreClaimed() {
		EventEnvelope a = kind("Order", "Placed");
		EventEnvelope b = kind("User", "Placed");
		EventEnvelope c = kind("User", "Deleted");
		EventEnvelope d = kind("User", "placed");
		this.outbox.append(a, b, c, d);
		assertThat(this.outbox.claims.claim(NODE, EventSelection.only(List.of()), 10)).isEmpty();
		assertThat(claimAndRelease(EventSelection.only(List.of(new EventRoute(null, "Placed")))))
			.containsExactlyInAnyOrder(a.eventId(), b.eventId());
		assertThat(claimAndRelease(
				EventSelection.only(List.of(new EventRoute("User", "Placed"), new EventRoute(null, "Deleted")))))
			.containsExactlyInAnyOrder(b.eventId(), c.eventId());
		assertThat(claimAndRelease(EventSelection.allExcept(List.of(new EventRoute("User", "Placed")))))
			.containsExactlyInAnyOrder(a.eventId(), c.eventId(), d.eventId());
		assertThat(claimAndRelease(EventSelection.allExcept(List.of()))).hasSize(4);
	}

	private static EventEnvelope kind(String aggregateType, String eventType) {
		return EventEnvelope.builder(eventType).aggregateType(aggregateType).payloadJson("{}").build();
	}

	private List<String> claimAndRelease(EventSelection selection) {
		List<EventRecord> claimed = this.outbox.claims.claim(NODE, selection, 10);
		this.outbox.claims.release(claimed.stream().map(EventRecord::claim).toList());
		return ids(claimed);
	}

	@Test
	void aHoldingClaimIsVerifiedAndAnyOtherIsNot() {
		List<EventEnvelope> events = events(3);
		this.outbox.append(NODE, events);
		Claim held = new Claim(events.get(0).eventId(), NODE, 1);
		Claim ofAnother = new Claim(events.get(1).eventId(), OTHER, 1);
		Claim olderOne = new Claim(events.get(2).eventId(), NODE, 0);
		Claim neverCommitted = new Claim("nothing", NODE, 1);
		assertThat(this.outbox.claims.verify(NODE, List.of(held, olderOne, neverCommitted))).containsExactly(held);
		assertThat(this.outbox.claims.verify(OTHER, List.of(ofAnother))).isEmpty();
		assertThat(ids(this.outbox.claims.read(NODE, List.of(held, olderOne, neverCommitted))))
			.containsExactly(held.eventId());
		this.outbox.settlement.settle(List.of(new Settlement(held, new Outcome.Done(), 0, null)));
		assertThat(this.outbox.claims.verify(NODE, List.of(held))).isEmpty();
	}

	@Test
	void manyClaimsAreVerifiedAtOnce() {
		List<EventEnvelope> events = events(1100);
		this.outbox.append(NODE, events);
		List<Claim> claims = events.stream().map((event) -> new Claim(event.eventId(), NODE, 1)).toList();
		assertThat(this.outbox.claims.verify(NODE, claims)).hasSize(1100);
		assertThat(this.outbox.claims.release(claims)).isEqualTo(1100);
		assertThat(this.outbox.claims.verify(NODE, claims)).isEmpty();
	}

	@Test
	void aReleasedEventCanBeClaimedAgainUnderANewNumber() {
		EventEnvelope event = event();
		this.outbox.append(NODE, List.of(event));
		Claim first = new Claim(event.eventId(), NODE, 1);
		assertThat(this.outbox.claims.release(List.of(first))).isOne();
		assertThat(this.outbox.claims.release(List.of(first))).isZero();
		assertThat(this.outbox.claimAll(NODE).get(0).claim()).isEqualTo(new Claim(event.eventId(), NODE, 2));
		assertThat(this.outbox.claims.release(List.of(first))).as("an old claim releases nothing").isZero();
		assertThat(this.outbox.nodeClaims.releaseAll(OTHER)).isZero();
		assertThat(this.outbox.nodeClaims.releaseAll(NODE)).isOne();
		assertThat(this.outbox.row(event.eventId()).owner()).isNull();
	}

	@Test
	void anAttemptCanBeCountedBeforeItIsMade() {
		EventEnvelope event = event();
		this.outbox.append(NODE, List.of(event));
		assertThat(this.outbox.claims.countAttempt(List.of(new Claim(event.eventId(), NODE, 1)))).isOne();
		assertThat(this.outbox.claims.countAttempt(List.of(new Claim(event.eventId(), OTHER, 1)))).isZero();
		assertThat(this.outbox.row(event.eventId()).attempts()).isOne();
	}

	@Test
	void eventsAreTakenBackFromDeadNodesOnly() {
		this.outbox.nodes.register(NODE, "alive", Duration.ofMinutes(1));
		this.outbox.nodes.register(OTHER, "expired", Duration.ofSeconds(-1));
		long unknown = 3;
		List<EventEnvelope> events = events(30);
		this.outbox.append(NODE, events.subList(0, 10));
		this.outbox.append(OTHER, events.subList(10, 20));
		this.outbox.append(unknown, events.subList(20, 30));
		Set<Long> owners = this.outbox.nodeClaims.owners();
		assertThat(owners).containsExactlyInAnyOrder(NODE, OTHER, unknown);
		assertThat(this.outbox.nodes.deadAmong(owners)).containsExactly(unknown);
		assertThat(this.outbox.nodes.markDead(OTHER)).isTrue();
		Set<Long> dead = this.outbox.nodes.deadAmong(owners);
		assertThat(dead).containsExactlyInAnyOrder(OTHER, unknown);
		assertThat(this.outbox.nodeClaims.reclaim(dead, 15)).isEqualTo(15);
		assertThat(this.outbox.nodeClaims.reclaim(dead, 15)).isEqualTo(5);
		assertThat(this.outbox.nodeClaims.reclaim(dead, 15)).isZero();
		assertThat(this.outbox.nodeClaims.owners()).containsExactly(NODE);
		assertThat(this.outbox.row(events.get(0).eventId()).reclaims()).isZero();
		assertThat(this.outbox.row(events.get(10).eventId()).reclaims()).isOne();
		assertThat(this.outbox.row(events.get(10).eventId()).attempts()).isZero();
		assertThat(ids(this.outbox.claimAll(4))).hasSize(20).doesNotContain(events.get(0).eventId());
	}

	@Test
	void aNodesClaimsAreListedPageByPage() {
		List<EventEnvelope> events = events(7);
		this.outbox.append(NODE, events);
		Set<String> seen = new HashSet<>();
		String after = "";
		List<Claim> page;
		do {
			page = this.outbox.nodeClaims.list(NODE, after, 3);
			for (Claim claim : page) {
				assertThat(seen.add(claim.eventId())).isTrue();
				after = claim.eventId();
			}
		}
		while (!page.isEmpty());
		assertThat(seen).containsExactlyInAnyOrderElementsOf(idsOf(events));
	}

	@Test
	void aDamagedRowDoesNotSpoilTheOthers() {
		this.outbox.append(events(3).toArray(EventEnvelope[]::new));
		EventEnvelope damaged = event((builder) -> builder.header("a", "b"));
		this.outbox.append(damaged);
		this.outbox.jdbc.update("UPDATE outbox_event SET headers = '{broken' WHERE event_id = ?", damaged.eventId());
		List<EventRecord> claimed = this.outbox.claimAll(NODE);
		assertThat(claimed).hasSize(4);
		EventRecord broken = claimed.stream()
			.filter((event) -> event.eventId().equals(damaged.eventId()))
			.findFirst()
			.orElseThrow();
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(broken::envelope)
			.withMessageNotContaining("broken");
	}

}
