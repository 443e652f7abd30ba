package dev.outbox.relay;

import java.time.Duration;
import java.util.Set;

import dev.outbox.node.Membership;
import dev.outbox.store.OutboxFixture;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Reaper}.
 */
class ReaperContractTests {

	@EachDatabase
	void nodeThatIsLateIsDeclaredDeadByOthersOnly(TestDatabase database) {
		try (TestDataSource source = database.freshDatabase()) {
			OutboxFixture outbox = OutboxFixture.in(source);
			Membership late = new Membership("late", outbox.nodes, Duration.ofMillis(1));
			Membership other = new Membership("other", outbox.nodes, Duration.ofMinutes(1));
			long id = late.join();
			other.join();
			await().atMost(Duration.ofSeconds(30)).until(() -> outbox.nodes.expired().contains(id));
			reaper(outbox, late).runOnce();
			assertThat(outbox.nodes.deadAmong(Set.of(id))).isEmpty();
			reaper(outbox, other).runOnce();
			assertThat(outbox.nodes.deadAmong(Set.of(id))).containsExactly(id);
		}
	}

	private static Reaper reaper(OutboxFixture outbox, Membership membership) {
		return new Reaper("outbox", membership, outbox.nodes, outbox.nodeClaims, () -> {
		}, Duration.ofSeconds(1));
	}

}
