package dev.outbox.faults;

import java.io.IOException;

import dev.outbox.testsupport.ChildJvm;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that an event whose listener ends the process is given up in the end and takes no
 * other event along.
 */
@EachDatabase(only = TestDatabase.POSTGRESQL)
class CrashLoopIntegrationTests {

	/**
	 * An event is suspected after it was taken back twice, and then has two attempts.
	 */
	private static final int DEATHS = 2 + 2;

	private static final int NEIGHBOURS = 1000;

	private final TestDatabase database;

	CrashLoopIntegrationTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void eventThatKillsTheProcessEndsDeadAndItsNeighboursAreDelivered() throws Exception {
		try (Bench bench = new Bench(this.database, "node.heartbeat=200ms", "node.lease=600ms", "poll.interval=500ms",
				"completion.max-delay=1ms", "poll.batch=1001", "dispatch.cold-queue=1001", "retry.max-attempts=2")) {
			SmallApplication writer = bench.node("writer", "dispatch.enabled=false");
			String poison = writer.write("poison");
			writer.write(NEIGHBOURS, "plain");
			assertThat(supervise(bench)).isEqualTo(DEATHS);
			assertThat(bench.jdbc()
				.queryForMap("SELECT status, attempts FROM outbox_event WHERE event_id = ?", poison)
				.toString()).isEqualTo("{status=3, attempts=2}");
			assertThat(bench.count("outbox_event", "event_type = 'plain' AND status = 1")).isEqualTo(NEIGHBOURS);
			assertThat(bench.count("outbox_event", "event_type = 'plain' AND attempts > 1"))
				.as("neighbours whose attempts were not all their own")
				.isZero();
			assertThat(bench.count("outbox_event", "reclaims >= 2")).as("neighbours that were suspected as well")
				.isGreaterThan(NEIGHBOURS / 2);
			assertThat(bench.journal().eventIds()).isEqualTo(bench.business());
		}
	}

	/**
	 * Start the process again whenever it has died, until nothing is left to be
	 * delivered.
	 * @return how often it died
	 */
	private static int supervise(Bench bench) throws IOException {
		int deaths = 0;
		while (deaths < 2 * DEATHS) {
			ChildJvm child = bench.child("start-" + deaths, "poison,plain");
			Bench.await().until(() -> !child.isAlive() || bench.count("outbox_event", "status IN (0, 2)") == 0);
			if (child.isAlive()) {
				break;
			}
			deaths++;
		}
		return deaths;
	}

}
