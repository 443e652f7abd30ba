package dev.outbox.store;

import java.time.Duration;
import java.util.List;

import dev.outbox.EventEnvelope;
import dev.outbox.node.NodeTable;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.PoolOptions;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static dev.outbox.store.OutboxFixture.event;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract: every compare-and-set changes something, so it also counts where a driver
 * counts changed rows only.
 */
@EachDatabase(only = { TestDatabase.MARIADB, TestDatabase.MYSQL })
class AffectedRowsContractTests {

	private final OutboxFixture outbox;

	AffectedRowsContractTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
	}

	@Test
	void nothingLooksLostThatIsNot() {
		try (TestDataSource source = this.outbox.source
			.anotherPool(PoolOptions.defaults().withUrlParameter("useAffectedRows", "true"))) {
			OutboxFixture counting = OutboxFixture.through(source);
			NodeTable nodes = counting.nodes;
			nodes.register(1, "one", Duration.ofMinutes(1));
			for (int i = 0; i < 100; i++) {
				assertThat(nodes.beat(1, Duration.ofMinutes(1))).isTrue();
			}
			EventEnvelope event = event();
			counting.append(event);
			for (int i = 1; i <= 20; i++) {
				Claim claim = counting.claimAll(1).get(0).claim();
				assertThat(counting.claims.countAttempt(List.of(claim))).isOne();
				assertThat(counting.settlement
					.settle(List.of(new Settlement(claim, new Outcome.Retry(Duration.ZERO, "same error"), 1, null))))
					.isEqualTo(new Settled(1, 0));
			}
			Claim claim = counting.claimAll(1).get(0).claim();
			assertThat(counting.claims.release(List.of(claim))).isOne();
			Claim last = counting.claimAll(1).get(0).claim();
			assertThat(counting.settlement.settle(List.of(new Settlement(last, new Outcome.Dead("dead"), 1, null))))
				.isEqualTo(new Settled(1, 0));
			assertThat(counting.admin.replay(event.eventId())).isTrue();
		}
	}

}
