package dev.outbox.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import dev.outbox.EventEnvelope;
import dev.outbox.store.Claim;
import dev.outbox.store.EventClaims;
import dev.outbox.testsupport.TestDatabase;
import dev.outbox.write.WrittenEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Tests for {@link HotPath}.
 */
class HotPathTests {

	private static final int PLACES = 5;

	private final DispatchFixture node = DispatchFixture.on(TestDatabase.H2, "dispatch.hot-queue=" + PLACES,
			"dispatch.hot-max-per-transaction=3", "dispatch.hot-max-bytes=100B");

	private final DispatchStatistics statistics = new DispatchStatistics();

	private final InFlight inFlight = new InFlight((claim) -> {
	});

	private final Verifier verifier = new Verifier("outbox", this.node.membership,
			new EventClaims(this.node.outbox.database), new EventQueues(), (event) -> {
			}, (event) -> {
			});

	private final HotPath hotPath = new HotPath(this.node.membership, this.node.guards, this.inFlight, this.verifier,
			this.node.trigger, this.statistics, this.node.properties);

	@BeforeEach
	void open() {
		this.node.listeners.register("thing.happened", (event) -> {
		});
		this.hotPath.open();
	}

	@AfterEach
	void close() {
		this.node.close();
	}

	@Test
	void thereAreAsManyPlacesAsTheQueueIsLong() {
		List<WrittenEvent> placed = place(PLACES);
		assertThat(this.hotPath.reserve(event("{}"), 0)).isNull();
		assertThat(this.statistics.hotRefused()).isOne();
		this.hotPath.cancel(placed.subList(0, 2));
		assertThat(freePlaces()).isEqualTo(2);
	}

	@Test
	void oneTransactionGetsOnlySomeOfThem() {
		assertThat(this.hotPath.reserve(event("{}"), 2)).isNotNull();
		assertThat(this.hotPath.reserve(event("{}"), 3)).isNull();
		assertThat(freePlaces()).isEqualTo(PLACES - 1);
	}

	@Test
	void anEventThatCannotBeDeliveredAtOnceGetsNone() {
		EventEnvelope.Builder event = event("{}").toBuilder();
		assertThat(this.hotPath.reserve(event.deliverAfter(Duration.ZERO).build(), 0)).as("delayed").isNull();
		assertThat(this.hotPath.reserve(event("{}").toBuilder().availableAt(Instant.EPOCH).build(), 0)).as("dated")
			.isNull();
		assertThat(this.hotPath.reserve(EventEnvelope.ofJson("unheard.of", "{}"), 0)).as("without listener").isNull();
		this.node.membership.abandon();
		assertThat(this.hotPath.reserve(event("{}"), 0)).as("at a node that is no member").isNull();
		this.node.membership.join();
		this.hotPath.close();
		assertThat(this.hotPath.reserve(event("{}"), 0)).as("while the node stops").isNull();
	}

	@Test
	void anEventGetsNoneWhileItsListenerIsPaused() {
		ListenerGuard guard = this.node.guards.forEvent("", "thing.happened").get(0);
		for (int i = 0; i < 20; i++) {
			guard.breaker().failed(Set.of("event" + i));
		}
		assertThat(this.hotPath.reserve(event("{}"), 0)).isNull();
		guard.breaker().succeeded();
		assertThat(this.hotPath.reserve(event("{}"), 0)).isNotNull();
	}

	@Test
	void whatIsHandedOverIsKnownAndWaitsToBeVerified() {
		List<WrittenEvent> placed = place(2);
		this.hotPath.handOver(placed);
		assertThat(this.inFlight.size()).isEqualTo(2);
		assertThat(this.statistics.hotEnqueued()).isEqualTo(2);
		assertThat(waiting()).extracting(QueuedEvent::envelope)
			.containsExactly(placed.get(0).envelope(), placed.get(1).envelope());
		assertThat(freePlaces()).as("it keeps its place").isEqualTo(PLACES - 2);
	}

	@Test
	void anEventGetsNoneWhosePayloadExceedsTheBytesThatMayWait() {
		List<WrittenEvent> placed = place("a".repeat(60));
		assertThat(this.hotPath.reserve(event("b".repeat(60)), 0)).isNull();
		assertThat(this.statistics.hotRefused()).isOne();
		placed.addAll(place("c".repeat(40)));
		assertThat(this.hotPath.reserve(event("d"), 0)).as("bytes are counted before the commit").isNull();
		this.hotPath.handOver(placed);
		assertThat(this.hotPath.reserve(event("e"), 0)).as("and after it").isNull();
		assertThat(waiting()).allSatisfy((event) -> {
			assertThat(event.envelope()).isNotNull();
			this.hotPath.left(event);
		});
		assertThat(freePlaces()).isEqualTo(PLACES);
		assertThat(place("f".repeat(100))).as("all bytes are free again").hasSize(1);
	}

	@Test
	void howeverAPlaceIsGivenBackItsBytesAreFree() {
		this.hotPath.cancel(place("a".repeat(100)));
		assertThat(this.hotPath.disown(claim(place("b".repeat(100)).get(0)))).isTrue();
		List<WrittenEvent> placed = place("c".repeat(100));
		this.hotPath.close();
		this.hotPath.handOver(placed);
		this.hotPath.open();
		assertThat(this.hotPath.reserve(event("d".repeat(101)), 0)).isNull();
		assertThat(place("e".repeat(100))).hasSize(1);
	}

	@Test
	void anEventThatHasAPlaceGetsNoSecondOne() {
		EventEnvelope event = event("a".repeat(50));
		List<WrittenEvent> placed = List.of(new WrittenEvent(event, this.hotPath.reserve(event, 0)));
		assertThat(this.hotPath.reserve(event, 0)).isNull();
		this.hotPath.cancel(placed);
		assertThat(freePlaces()).isEqualTo(PLACES);
		assertThat(place("b".repeat(100))).hasSize(1);
	}

	@Test
	void anEventWhosePlaceWasTakenAwayIsNotHandedOver() {
		List<WrittenEvent> placed = place(1);
		assertThat(this.hotPath.disown(claim(placed.get(0)))).isTrue();
		assertThat(this.hotPath.disown(claim(placed.get(0)))).isFalse();
		assertThat(freePlaces()).isEqualTo(PLACES);
		this.hotPath.handOver(placed);
		assertThat(waiting()).isEmpty();
		assertThat(this.inFlight.size()).isZero();
		this.hotPath.cancel(placed);
		assertThat(freePlaces()).as("a place is freed only once").isEqualTo(PLACES);
	}

	@Test
	void aPlaceOfAnEarlierStartIsNoPlace() {
		WrittenEvent foreign = new WrittenEvent(event("{}"), 4711L);
		this.hotPath.handOver(List.of(foreign));
		this.hotPath.cancel(List.of(foreign));
		assertThat(waiting()).isEmpty();
		assertThat(this.inFlight.size()).isZero();
		assertThat(freePlaces()).isEqualTo(PLACES);
	}

	@Test
	void afterTheEndPlacesAreFreedButNothingIsTakenOver() {
		List<WrittenEvent> placed = place(2);
		this.hotPath.close();
		this.hotPath.handOver(placed);
		assertThat(waiting()).isEmpty();
		assertThat(this.inFlight.size()).isZero();
		this.hotPath.open();
		assertThat(freePlaces()).isEqualTo(PLACES);
	}

	@Test
	void nothingIsTakenOverOnceNothingIsVerifiedAnyMore() {
		List<WrittenEvent> placed = place("a".repeat(100));
		this.verifier.close(Duration.ofSeconds(1));
		this.hotPath.handOver(placed);
		assertThat(this.inFlight.size()).isZero();
		assertThat(freePlaces()).isEqualTo(PLACES);
	}

	@Test
	void anEventInTheFarFutureDoesNotDisturbTheOthers() {
		List<WrittenEvent> unplaced = new ArrayList<>();
		unplaced.add(new WrittenEvent(
				event("{}").toBuilder().availableAt(Instant.parse("9999-12-31T00:00:00Z")).build(), null));
		unplaced.add(new WrittenEvent(event("{}").toBuilder().deliverAfter(Duration.ofDays(365 * 100)).build(), null));
		this.node.trigger
			.attach(new BackgroundLoop("outbox", "poll", Duration.ofSeconds(1), () -> Duration.ofHours(1)));
		assertThatCode(() -> this.hotPath.due(unplaced)).doesNotThrowAnyException();
	}

	private List<WrittenEvent> place(int count) {
		String[] payloads = new String[count];
		Arrays.fill(payloads, "{}");
		return place(payloads);
	}

	private List<WrittenEvent> place(String... payloads) {
		List<WrittenEvent> placed = new ArrayList<>();
		for (String payload : payloads) {
			EventEnvelope event = event(payload);
			Long owner = this.hotPath.reserve(event, 0);
			assertThat(owner).isNotNull();
			placed.add(new WrittenEvent(event, owner));
		}
		return placed;
	}

	private int freePlaces() {
		return DispatchFixture.freePlaces(this.hotPath);
	}

	private List<QueuedEvent> waiting() {
		return this.verifier.remove((event) -> true);
	}

	private static Claim claim(WrittenEvent event) {
		return new Claim(event.envelope().eventId(), Objects.requireNonNull(event.owner()), Claim.BORN);
	}

	private static EventEnvelope event(String payload) {
		return EventEnvelope.builder("thing.happened").payloadBytes(payload.getBytes()).build();
	}

}
