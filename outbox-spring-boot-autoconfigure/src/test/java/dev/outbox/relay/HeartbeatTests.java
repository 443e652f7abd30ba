package dev.outbox.relay;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.node.HeartbeatConnection;
import dev.outbox.node.Membership;
import dev.outbox.node.NodeRecord;
import dev.outbox.node.NodeTable;
import dev.outbox.store.OutboxFixture;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link Heartbeat}.
 */
@EachDatabase
class HeartbeatTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final Duration INTERVAL = Duration.ofSeconds(2);

	private final OutboxFixture outbox;

	private final HeartbeatConnection connection;

	private final Membership membership;

	private final AtomicInteger agreements = new AtomicInteger();

	private boolean agreed = true;

	HeartbeatTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
		this.connection = new HeartbeatConnection(this.outbox.source.dataSource(), 10);
		this.membership = new Membership("outbox", new NodeTable(OutboxFixture.database(this.connection)), LEASE);
	}

	@AfterEach
	void giveBack() {
		this.connection.drop();
	}

	@Test
	void theFirstBeatJoinsAndTheOthersProlong() {
		Heartbeat heartbeat = Heartbeat.amongOthers(this.membership, this::agree, this.connection, INTERVAL);
		assertThat(heartbeat.runOnce()).isEqualTo(INTERVAL);
		Long id = this.membership.liveId();
		assertThat(id).isNotNull();
		this.outbox.jdbc.update("UPDATE outbox_node SET expires_at = 1");
		heartbeat.runOnce();
		assertThat(this.membership.liveId()).isEqualTo(id);
		assertThat(this.outbox.nodes.expired()).isEmpty();
		assertThat(this.agreements).hasValue(2);
	}

	@Test
	void aNodeThatMustNotRunDoesNotBeat() {
		this.agreed = false;
		Heartbeat heartbeat = Heartbeat.amongOthers(this.membership, this::agree, this.connection, INTERVAL);
		assertThatIllegalStateException().isThrownBy(heartbeat::runOnce);
		assertThat(this.membership.id()).isNull();
		assertThat(this.outbox.nodes.all()).isEmpty();
	}

	@Test
	void aLoneNodeTakesOverFromAllOthersOnce() {
		this.outbox.nodes.register(1, "earlier", LEASE);
		this.outbox.append(1L, OutboxFixture.events(2));
		Heartbeat heartbeat = alone();
		heartbeat.runOnce();
		assertThat(this.outbox.nodeClaims.owners()).isEmpty();
		assertThat(this.outbox.nodes.beat(1, LEASE)).isFalse();
		this.outbox.nodes.register(2, "another", LEASE);
		heartbeat.runOnce();
		assertThat(this.outbox.nodes.beat(2, LEASE)).as("it does so at its start only").isTrue();
	}

	@Test
	void aTakeOverThatFailedIsMadeUpFor() {
		this.outbox.append(1L, OutboxFixture.events(1));
		Heartbeat heartbeat = Heartbeat.alone(this.membership, () -> {
		}, this.outbox.nodes,
				new Reaper("outbox", this.membership, this.outbox.nodes, this.outbox.nodeClaims, this::agree, INTERVAL),
				this.connection, INTERVAL);
		this.agreed = false;
		assertThatIllegalStateException().isThrownBy(heartbeat::runOnce);
		this.outbox.nodes.register(1, "earlier", LEASE);
		heartbeat.runOnce();
		assertThat(this.outbox.nodes.beat(1, LEASE)).isFalse();
	}

	@Test
	void othersStayAliveAmongSeveralNodes() {
		this.outbox.nodes.register(1, "another", LEASE);
		Heartbeat.amongOthers(this.membership, this::agree, this.connection, INTERVAL).runOnce();
		assertThat(this.outbox.nodes.beat(1, LEASE)).isTrue();
		assertThat(this.outbox.nodes.all()).extracting(NodeRecord::id)
			.contains(Objects.requireNonNull(this.membership.id()));
	}

	private Heartbeat alone() {
		return Heartbeat.alone(this.membership, this::agree, this.outbox.nodes,
				new Reaper("outbox", this.membership, this.outbox.nodes, this.outbox.nodeClaims, () -> {
				}, INTERVAL), this.connection, INTERVAL);
	}

	private void agree() {
		this.agreements.incrementAndGet();
		if (!this.agreed) {
			throw new IllegalStateException("It must not run");
		}
	}

}
