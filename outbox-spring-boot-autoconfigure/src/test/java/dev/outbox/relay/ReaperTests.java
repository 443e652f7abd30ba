package dev.outbox.relay;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.EventEnvelope;
import dev.outbox.node.Membership;
import dev.outbox.node.NodeRecord;
import dev.outbox.store.EventRecord;
import dev.outbox.store.OutboxFixture;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Reaper}.
 */
@EachDatabase
class ReaperTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private final OutboxFixture outbox;

	private final AtomicInteger reclaimed = new AtomicInteger();

	private final Membership membership;

	private final Reaper reaper;

	ReaperTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
		this.membership = new Membership("outbox", this.outbox.nodes, LEASE);
		this.reaper = reaper();
	}

	private Reaper reaper() {
		return new Reaper("outbox", this.membership, this.outbox.nodes, this.outbox.nodeClaims,
				this.reclaimed::incrementAndGet, Duration.ofSeconds(2));
	}

	@Test
	void aNodeWhoseLeaseIsOverLosesItsEvents() {
		register(1);
		EventEnvelope event = append(1L);
		expire(1);
		assertThat(this.reaper.runOnce()).isEqualTo(Duration.ofSeconds(2));
		assertThat(this.outbox.row(event.eventId()))
			.extracting(EventRecord::owner, EventRecord::reclaims, EventRecord::attempts)
			.containsExactly(null, 1, 0);
		assertThat(this.outbox.nodes.beat(1, LEASE)).as("it is dead for good").isFalse();
		assertThat(this.reclaimed).as("the poller is woken").hasValue(1);
	}

	/**
	 * Its next beat works, if nobody else has found it late.
	 */
	@Test
	void aNodeThatIsLateDoesNotDeclareItselfDead() {
		long id = this.membership.join();
		EventEnvelope event = append(id);
		expire(id);
		this.reaper.runOnce();
		assertThat(this.outbox.nodes.beat(id, LEASE)).isTrue();
		assertThat(this.outbox.row(event.eventId()).owner()).isEqualTo(id);
	}

	@Test
	void aLiveNodeLosesNothing() {
		register(1);
		register(2);
		EventEnvelope event = append(1L);
		expire(2);
		this.reaper.runOnce();
		assertThat(this.outbox.row(event.eventId())).extracting(EventRecord::owner, EventRecord::reclaims)
			.containsExactly(1L, 0);
		assertThat(this.outbox.nodes.beat(1, LEASE)).isTrue();
		assertThat(this.reclaimed).hasValue(0);
	}

	@Test
	void rowsThatBecomeVisibleLongAfterTheirOwnerDiedAreTakenBack() {
		register(1);
		expire(1);
		this.reaper.runOnce();
		this.outbox.jdbc.update("UPDATE outbox_node SET dead_at = dead_at - 172800000000");
		this.reaper.runOnce();
		assertThat(this.outbox.nodes.all()).as("by then it is forgotten").isEmpty();
		for (int i = 0; i < 3; i++) {
			EventEnvelope late = append(1L);
			this.reaper.runOnce();
			assertThat(this.outbox.row(late.eventId()).owner()).isNull();
		}
	}

	@Test
	void itDoesNotStopAfterOneBatch() {
		this.outbox.append(1L, OutboxFixture.events(1100));
		this.reaper.runOnce();
		assertThat(this.outbox.nodeClaims.owners()).isEmpty();
		assertThat(this.reclaimed).hasValue(1);
	}

	@Test
	void severalReapersTakeAnEventBackOnce() {
		this.outbox.append(1L, OutboxFixture.events(300));
		List<CompletableFuture<Duration>> reapers = List.of(CompletableFuture.supplyAsync(reaper()::runOnce),
				CompletableFuture.supplyAsync(reaper()::runOnce), CompletableFuture.supplyAsync(reaper()::runOnce));
		reapers.forEach(CompletableFuture::join);
		this.reaper.runOnce();
		assertThat(this.outbox.jdbc.queryForList("SELECT DISTINCT reclaims FROM outbox_event", Integer.class))
			.containsExactly(1);
		assertThat(this.outbox.nodeClaims.owners()).isEmpty();
	}

	@Test
	void aNodeThatHasBeenDeadForLessThanADayIsRemembered() {
		register(1);
		expire(1);
		this.reaper.runOnce();
		this.reaper.runOnce();
		assertThat(this.outbox.nodes.all()).extracting(NodeRecord::dead).containsExactly(true);
	}

	private EventEnvelope append(long owner) {
		EventEnvelope event = OutboxFixture.event();
		this.outbox.append(owner, List.of(event));
		return event;
	}

	private void register(long node) {
		this.outbox.nodes.register(node, "node", LEASE);
	}

	private void expire(long node) {
		this.outbox.jdbc.update("UPDATE outbox_node SET expires_at = expires_at - 120000000 WHERE node_id = ?", node);
	}

}
