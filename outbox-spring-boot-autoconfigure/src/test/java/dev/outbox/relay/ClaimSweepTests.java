package dev.outbox.relay;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

import dev.outbox.EventEnvelope;
import dev.outbox.dispatch.DispatchFixture;
import dev.outbox.store.EventRecord;
import dev.outbox.store.OutboxFixture;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import dev.outbox.write.WrittenEvent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ClaimSweep}.
 */
@EachDatabase
class ClaimSweepTests {

	private final DispatchFixture node;

	private final OutboxFixture outbox;

	private final long nodeId;

	private final ReentrantLock claiming = new ReentrantLock();

	private final ClaimSweep sweep;

	ClaimSweepTests(TestDatabase database) {
		this.node = DispatchFixture.on(database, "dispatch.hot-queue=3");
		this.node.listeners.register("OrderPlaced", (event) -> {
		});
		this.outbox = this.node.outbox;
		this.nodeId = Objects.requireNonNull(this.node.membership.id());
		this.sweep = new ClaimSweep("outbox", this.node.membership, this.outbox.nodeClaims, this.outbox.claims,
				this.node.dispatcher, this.claiming, Duration.ofSeconds(10));
	}

	@AfterEach
	void close() {
		this.node.close();
	}

	@Test
	void whatIsUnknownTwiceIsGivenBack() {
		EventEnvelope event = OutboxFixture.event();
		this.outbox.append(event);
		this.outbox.claimAll(this.nodeId);
		assertThat(this.sweep.runOnce()).isEqualTo(Duration.ofSeconds(10));
		assertThat(owner(event)).as("it may be under way").isEqualTo(this.nodeId);
		this.sweep.runOnce();
		assertThat(this.outbox.row(event.eventId())).extracting(EventRecord::owner, EventRecord::reclaims)
			.containsExactly(null, 0);
	}

	@Test
	void whatIsKnownIsNeverGivenBack() {
		EventEnvelope event = OutboxFixture.event();
		this.outbox.append(event);
		this.node.dispatcher.offer(this.outbox.claimAll(this.nodeId));
		for (int i = 0; i < 5; i++) {
			this.sweep.runOnce();
		}
		assertThat(owner(event)).isEqualTo(this.nodeId);
	}

	@Test
	void whatIsUnknownUnderOneClaimAndThenUnderTheNextIsNotUnknownTwice() {
		EventEnvelope event = OutboxFixture.event();
		this.outbox.append(event);
		List<EventRecord> first = this.outbox.claimAll(this.nodeId);
		this.sweep.runOnce();
		this.outbox.claims.release(first.stream().map(EventRecord::claim).toList());
		this.outbox.claimAll(this.nodeId);
		this.sweep.runOnce();
		assertThat(owner(event)).isEqualTo(this.nodeId);
	}

	@Test
	void whatBelongsToOthersIsLeftAlone() {
		EventEnvelope event = OutboxFixture.event();
		this.outbox.append(this.nodeId + 1, List.of(event));
		this.sweep.runOnce();
		this.sweep.runOnce();
		assertThat(owner(event)).isEqualTo(this.nodeId + 1);
	}

	@Test
	void aTransactionThatNeverHandsOverLosesItsPlaceAndCannotHaveItsEventDeliveredTwice() {
		this.node.dispatcher.start();
		EventEnvelope event = OutboxFixture.event();
		Long owner = this.node.dispatcher.handOver().reserve(event, 0);
		assertThat(owner).isEqualTo(this.nodeId);
		this.outbox.append(owner, List.of(event));
		this.sweep.runOnce();
		this.sweep.runOnce();
		assertThat(owner(event)).isNull();
		this.node.dispatcher.handOver().handOver(List.of(new WrittenEvent(event, owner)));
		assertThat(this.node.dispatcher.inFlight()).isZero();
		assertThat(this.node.dispatcher.statistics().hotEnqueued()).isZero();
	}

	@Test
	void pagesAreReadToTheEnd() {
		this.outbox.append(this.nodeId, OutboxFixture.events(1001));
		this.sweep.runOnce();
		this.sweep.runOnce();
		assertThat(this.outbox.nodeClaims.owners()).isEmpty();
	}

	@Test
	void itWaitsWhileAPollIsUnderWay() {
		EventEnvelope event = OutboxFixture.event();
		this.outbox.append(event);
		this.sweep.runOnce();
		this.claiming.lock();
		List<EventRecord> claimed = this.outbox.claimAll(this.nodeId);
		CompletableFuture<Duration> sweeping = CompletableFuture.supplyAsync(this.sweep::runOnce);
		await().until(() -> this.claiming.hasQueuedThreads());
		this.node.dispatcher.offer(claimed);
		this.claiming.unlock();
		sweeping.join();
		this.sweep.runOnce();
		assertThat(owner(event)).isEqualTo(this.nodeId);
	}

	@Test
	void aNodeThatIsNoMemberHoldsNothing() {
		EventEnvelope event = OutboxFixture.event();
		this.outbox.append(this.nodeId, List.of(event));
		this.node.membership.abandon();
		this.sweep.runOnce();
		this.sweep.runOnce();
		assertThat(owner(event)).isEqualTo(this.nodeId);
	}

	private @Nullable Long owner(EventEnvelope event) {
		return this.outbox.row(event.eventId()).owner();
	}

}
