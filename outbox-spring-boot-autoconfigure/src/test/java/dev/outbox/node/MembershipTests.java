package dev.outbox.node;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import dev.outbox.store.OutboxFixture;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DelegatingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for {@link Membership}.
 */
@EachDatabase
class MembershipTests {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private static final Duration STATEMENT = Duration.ofSeconds(3);

	private final OutboxFixture outbox;

	private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5_000_000_000L);

	private final AtomicBoolean unreachable = new AtomicBoolean();

	private final List<String> told = new ArrayList<>();

	private final Membership membership;

	MembershipTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
		NodeTable table = new NodeTable(OutboxFixture.database(new SlowDataSource()));
		table.forgetDead(Duration.ofDays(1)); // the first statement of all takes one more
												// connection
		this.membership = new Membership("outbox", table, LEASE, this.clock::get);
		this.membership.addListener(new LeaseListener() {

			@Override
			public void lost(long nodeId) {
				MembershipTests.this.told.add("lost " + nodeId);
			}

			@Override
			public void renewed() {
				MembershipTests.this.told.add("renewed");
			}

		});
	}

	@Test
	void theLeaseIsReckonedFromBeforeTheBeatWasSent() {
		long id = this.membership.join();
		assertThat(this.membership.liveId()).isEqualTo(id);
		pass(LEASE.minus(STATEMENT).minusNanos(1));
		assertThat(this.membership.isLive(id)).isTrue();
		pass(Duration.ofNanos(1));
		assertThat(this.membership.liveId()).as("others may think so now").isNull();
		assertThat(this.membership.isLive(id)).isFalse();
		assertThat(this.membership.id()).isEqualTo(id);
		this.membership.beat();
		pass(LEASE.minus(STATEMENT).minusNanos(1));
		assertThat(this.membership.liveId()).isEqualTo(id);
		pass(Duration.ofNanos(1));
		assertThat(this.membership.liveId()).isNull();
	}

	@Test
	void aLateNodeThatNobodyDeclaredDeadGoesOnUnderItsId() {
		long id = this.membership.join();
		pass(LEASE.multipliedBy(100));
		this.outbox.jdbc.update("UPDATE outbox_node SET expires_at = 1");
		this.membership.beat();
		assertThat(this.membership.liveId()).isEqualTo(id);
		assertThat(this.told).containsExactly("renewed", "renewed");
	}

	@Test
	void aNodeThatWasDeclaredDeadComesBackUnderANewId() {
		long id = this.membership.join();
		this.outbox.jdbc.update("UPDATE outbox_node SET expires_at = 1");
		assertThat(this.outbox.nodes.markDead(id)).isTrue();
		this.membership.beat();
		assertThat(this.membership.liveId()).isNotNull().isNotEqualTo(id);
		assertThat(this.membership.isLive(id)).isFalse();
		assertThat(this.told).containsExactly("renewed", "lost " + id, "renewed");
		assertThat(this.outbox.nodes.all()).hasSize(2);
	}

	@Test
	void aBeatThatFailsChangesNothing() {
		long id = this.membership.join();
		this.unreachable.set(true);
		assertThatException().isThrownBy(this.membership::beat);
		assertThat(this.membership.liveId()).isEqualTo(id);
		pass(LEASE);
		assertThatException().isThrownBy(this.membership::beat);
		assertThat(this.membership.liveId()).isNull();
		this.unreachable.set(false);
		this.membership.beat();
		assertThat(this.membership.liveId()).isEqualTo(id);
		assertThat(this.told).containsExactly("renewed", "renewed");
	}

	@Test
	void aNodeThatCannotJoinIsNoMember() {
		this.unreachable.set(true);
		assertThatException().isThrownBy(this.membership::join);
		assertThat(this.membership.id()).isNull();
		assertThat(this.told).isEmpty();
		this.unreachable.set(false);
		this.membership.beat();
		assertThat(this.membership.liveId()).isNotNull();
	}

	@Test
	void aNodeThatLeavesIsStruckOffAndOneThatAbandonsIsNot() {
		long id = this.membership.join();
		this.membership.leave();
		assertThat(this.membership.id()).isNull();
		assertThat(this.membership.isLive(id)).isFalse();
		assertThat(this.outbox.nodes.all()).isEmpty();
		this.membership.join();
		this.membership.abandon();
		assertThat(this.membership.liveId()).isNull();
		assertThat(this.outbox.nodes.all()).hasSize(1);
		this.membership.leave();
		assertThat(this.outbox.nodes.all()).as("there is nothing to be struck off").hasSize(1);
	}

	private void pass(Duration time) {
		this.clock.addAndGet(time.toNanos());
	}

	/**
	 * Time passes while a statement is under way.
	 */
	private final class SlowDataSource extends DelegatingDataSource {

		private SlowDataSource() {
			super(MembershipTests.this.outbox.source.dataSource());
		}

		@Override
		public Connection getConnection() throws SQLException {
			if (MembershipTests.this.unreachable.get()) {
				throw new SQLException("unreachable");
			}
			pass(STATEMENT);
			return super.getConnection();
		}

	}

}
