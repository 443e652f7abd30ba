package dev.outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.EventEnvelope;
import dev.outbox.store.EventRecord;
import dev.outbox.store.EventSelection;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

/**
 * What becomes of the events that a node holds when it is late, or declared dead.
 */
class LostLeaseTests {

	private DispatchFixture node = DispatchFixture.on(TestDatabase.H2, "dispatch.hot-queue=5", "dispatch.workers=1");

	private final Set<String> delivered = ConcurrentHashMap.newKeySet();

	@BeforeEach
	void listen() {
		this.node.listeners.register("thing.happened", (event) -> this.delivered.add(event.eventId()));
	}

	@AfterEach
	void close() {
		this.node.close();
	}

	@Test
	void aNodeThatWasDeclaredDeadDropsWhatItHoldsAndDeliversUnderItsNewId() {
		this.node.hotPath().open();
		List<String> held = List.of(writeHot(), writeHot(), offer());
		assertThat(this.node.dispatcher.inFlight()).isEqualTo(3);
		dieAndComeBack();
		assertThat(this.node.dispatcher.inFlight()).isZero();
		assertThat(this.node.dispatcher.room()).isEqualTo(1000);
		assertThat(this.node.freePlaces()).isEqualTo(5);
		this.node.dispatcher.start();
		String later = writeHot();
		await().until(() -> this.delivered.contains(later));
		assertThat(this.delivered).doesNotContainAnyElementsOf(held);
	}

	@Test
	void aPollerThatFoundNoRoomIsCalledBackWhenWhatWaitedIsDropped() {
		this.node.close();
		this.node = DispatchFixture.on(TestDatabase.H2, "dispatch.cold-queue=1");
		listen();
		AtomicInteger looks = new AtomicInteger();
		BackgroundLoop poller = new BackgroundLoop("outbox", "poll", Duration.ofHours(1), () -> {
			looks.incrementAndGet();
			return Duration.ofHours(1);
		});
		this.node.trigger.attach(poller);
		offer();
		assertThat(this.node.dispatcher.room()).isZero();
		poller.start();
		await().untilAtomic(looks, is(1));
		dieAndComeBack();
		await().untilAtomic(looks, is(2));
		poller.stop(Duration.ofSeconds(1));
		assertThat(this.node.dispatcher.room()).isOne();
	}

	@Test
	void whatIsHandedOverUnderAnOldIdIsDropped() {
		this.node.dispatcher.start();
		String[] late = new String[1];
		this.node.transactions.executeWithoutResult((status) -> {
			late[0] = write();
			CompletableFuture.runAsync(this::dieAndComeBack).join();
		});
		String later = writeHot();
		await().until(() -> this.delivered.contains(later));
		await().until(() -> this.node.dispatcher.inFlight() == 0);
		assertThat(this.delivered).containsExactly(later);
		assertThat(this.node.dispatcher.statistics().phantomsAverted()).as("it is there, but not ours").isZero();
		assertThat(this.node.freePlaces()).isEqualTo(5);
	}

	@Test
	void nothingIsStartedWhileTheLeaseIsInDoubt() {
		this.node.close();
		this.node = DispatchFixture.on(TestDatabase.H2, "node.heartbeat=1ms", "node.lease=2ms", "dispatch.workers=1");
		listen();
		await().until(() -> this.node.membership.liveId() == null);
		String doubtful = offer();
		this.node.dispatcher.start();
		await().until(this.node::areWorkersWaiting);
		dieAndComeBack();
		await().until(() -> this.node.dispatcher.inFlight() == 0);
		assertThat(this.delivered).doesNotContain(doubtful);
	}

	@Test
	void outcomesOfAnOldIdAreNotRecorded() {
		this.node.close();
		this.node = DispatchFixture.on(TestDatabase.H2, "completion.max-delay=1h");
		listen();
		this.node.dispatcher.start();
		String event = writeHot();
		await().until(() -> this.delivered.contains(event));
		await().until(() -> this.node.dispatcher.statistics().delivered() == 1);
		dieAndComeBack();
		await().until(() -> this.node.dispatcher.inFlight() == 0);
		assertThat(this.node.dispatcher.statistics().fenced()).isOne();
		assertThat(this.node.outbox.row(event).doneAt()).isNull();
	}

	private String writeHot() {
		return Objects.requireNonNull(this.node.transactions.execute((status) -> write()));
	}

	private String write() {
		return Objects.requireNonNull(this.node.writer.write("thing.happened", "{}"));
	}

	private String offer() {
		EventEnvelope event = EventEnvelope.ofJson("thing.happened", "{}");
		this.node.outbox.append(event);
		List<EventRecord> claimed = this.node.outbox.claims.claim(Objects.requireNonNull(this.node.membership.id()),
				EventSelection.all(), 10);
		this.node.dispatcher.offer(claimed);
		return event.eventId();
	}

	private void dieAndComeBack() {
		this.node.outbox.jdbc.update("UPDATE outbox_node SET dead_at = 1");
		this.node.membership.beat();
	}

}
