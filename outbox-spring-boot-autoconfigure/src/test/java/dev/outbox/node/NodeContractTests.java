package dev.outbox.node;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import dev.outbox.store.OutboxFixture;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract: who is alive.
 */
@EachDatabase
class NodeContractTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private final OutboxFixture outbox;

	private final NodeTable nodes;

	NodeContractTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
		this.nodes = this.outbox.nodes;
	}

	@Test
	void aNodeBeatsUntilItIsMarkedDead() {
		this.nodes.register(1, "one", LEASE);
		expire(1);
		assertThat(this.nodes.expired()).as("late, but not marked").containsExactly(1L);
		assertThat(this.nodes.beat(1, LEASE)).isTrue();
		assertThat(this.nodes.expired()).isEmpty();
		assertThat(this.nodes.markDead(1)).as("a live node cannot be marked").isFalse();
		expire(1);
		assertThat(this.nodes.markDead(1)).isTrue();
		assertThat(this.nodes.markDead(1)).as("by one only").isFalse();
		assertThat(this.nodes.beat(1, LEASE)).as("death is for good").isFalse();
	}

	private void expire(long node) {
		this.outbox.jdbc.update("UPDATE outbox_node SET expires_at = expires_at - 120000000 WHERE node_id = ?", node);
	}

	@Test
	void deadAreThoseMarkedAndThoseUnknown() {
		this.nodes.register(1, "one", LEASE);
		this.nodes.register(2, "two", Duration.ZERO);
		expire(2);
		assertThat(this.nodes.deadAmong(Set.of(1L, 2L, 3L))).containsExactly(3L);
		this.nodes.markDead(2);
		assertThat(this.nodes.deadAmong(Set.of(1L, 2L, 3L))).containsExactlyInAnyOrder(2L, 3L);
		assertThat(this.nodes.deadAmong(Set.of())).isEmpty();
		this.nodes.signOff(1);
		assertThat(this.nodes.deadAmong(Set.of(1L))).containsExactly(1L);
	}

	@Test
	void aLoneNodeDeclaresAllOthersDead() {
		this.nodes.register(1, "one", LEASE);
		this.nodes.register(2, "two", LEASE);
		this.nodes.register(3, "three", LEASE);
		assertThat(this.nodes.markOthersDead(2)).isEqualTo(2);
		assertThat(this.nodes.beat(2, LEASE)).isTrue();
		assertThat(this.nodes.beat(3, LEASE)).isFalse();
	}

	@Test
	void nodesAreListedWithTheAgeOfTheirBeat() {
		this.nodes.register(-5, "minus five", LEASE);
		this.outbox.jdbc.update("UPDATE outbox_node SET beat_at = beat_at - 30000000");
		List<NodeRecord> all = this.nodes.all();
		assertThat(all).hasSize(1);
		assertThat(all.get(0).name()).isEqualTo("minus five");
		assertThat(all.get(0).dead()).isFalse();
		assertThat(all.get(0).sinceBeat()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(60));
	}

	@Test
	void nodesLongDeadAreForgotten() {
		this.nodes.register(1, "one", Duration.ZERO);
		this.nodes.register(2, "two", LEASE);
		expire(1);
		this.nodes.markDead(1);
		assertThat(this.nodes.forgetDead(Duration.ofHours(1))).isZero();
		this.outbox.jdbc.update("UPDATE outbox_node SET dead_at = dead_at - 7200000000");
		assertThat(this.nodes.forgetDead(Duration.ofHours(1))).isOne();
		assertThat(this.nodes.all()).hasSize(1);
	}

}
