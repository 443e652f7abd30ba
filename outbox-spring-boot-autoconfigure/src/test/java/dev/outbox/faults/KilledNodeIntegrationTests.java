package dev.outbox.faults;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import dev.outbox.faults.Journal.Call;
import dev.outbox.testsupport.ChildJvm;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that nothing is lost with a process that is killed while it writes and delivers.
 */
@EachDatabase(only = { TestDatabase.POSTGRESQL, TestDatabase.MARIADB })
class KilledNodeIntegrationTests {

	private static final String[] SHORT_LEASE = { "node.heartbeat=250ms", "node.lease=1s", "poll.interval=500ms" };

	private final TestDatabase database;

	KilledNodeIntegrationTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void deliversEverythingAfterTheNextStart() throws Exception {
		try (Bench bench = new Bench(this.database, SHORT_LEASE)) {
			killInTheMiddle(bench);
			List<Long> before = owners(bench);
			assertThat(before).hasSize(1);
			bench.child("second", "slow");
			bench.awaitAllDelivered();
			assertThat(repeatedBySecond(bench)).isEmpty();
			List<Long> alive = bench.jdbc()
				.queryForList("SELECT node_id FROM outbox_node WHERE dead_at IS NULL", Long.class);
			assertThat(alive).hasSize(1).doesNotContainAnyElementsOf(before);
		}
	}

	@Test
	void survivorTakesOverWhatTheKilledNodeHeld() throws Exception {
		try (Bench bench = new Bench(this.database, SHORT_LEASE)) {
			SmallApplication survivor = bench.node("second").listeningTo("slow").start();
			killInTheMiddle(bench);
			long killed = owners(bench).stream()
				.filter((owner) -> !owner.equals(survivor.outbox().nodeId()))
				.findFirst()
				.orElseThrow();
			Set<String> held = new HashSet<>(bench.jdbc()
				.queryForList("SELECT event_id FROM outbox_event WHERE owner = ?", String.class, killed));
			assertThat(held).isNotEmpty();
			bench.awaitAllDelivered();
			assertThat(deliveredBySecond(bench)).containsAll(held);
			assertThat(repeatedBySecond(bench)).isEmpty();
			assertThat(survivor.outbox().nodeId()).isNotEqualTo(killed);
		}
	}

	/**
	 * A backlog sees to it that much is claimed whenever the process ends, and writers to
	 * it that some rows are born claimed.
	 */
	private static void killInTheMiddle(Bench bench) throws Exception {
		bench.node("writer", "dispatch.enabled=false").write(1000, "slow");
		ChildJvm child = bench.writingChild("first", "slow");
		Bench.await().until(() -> bench.journal().callsOf("first").size() >= 200);
		child.kill();
	}

	private static List<Long> owners(Bench bench) {
		return bench.jdbc().queryForList("SELECT DISTINCT owner FROM outbox_event WHERE owner IS NOT NULL", Long.class);
	}

	private static Set<String> deliveredBySecond(Bench bench) {
		return bench.journal().callsOf("second").stream().map(Call::eventId).collect(Collectors.toSet());
	}

	/**
	 * What the killed node had delivered without being able to record it may be delivered
	 * once more, but only once.
	 */
	private static Set<String> repeatedBySecond(Bench bench) {
		List<String> second = bench.journal().callsOf("second").stream().map(Call::eventId).toList();
		return second.stream()
			.collect(Collectors.groupingBy((id) -> id, Collectors.counting()))
			.entrySet()
			.stream()
			.filter((entry) -> entry.getValue() > 1)
			.map((entry) -> entry.getKey())
			.collect(Collectors.toSet());
	}

}
