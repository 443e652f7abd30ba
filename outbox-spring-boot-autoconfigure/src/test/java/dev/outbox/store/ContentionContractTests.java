package dev.outbox.store;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.EventEnvelope;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.UncategorizedSQLException;

import static dev.outbox.store.OutboxFixture.events;
import static dev.outbox.store.OutboxFixture.idsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Contract: what fails only because of what others did at the same time is done again.
 */
@EachDatabase
class ContentionContractTests {

	private final OutboxFixture outbox;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	ContentionContractTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
	}

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
	}

	@Test
	void theLoserOfADeadlockTriesAgain() throws Exception {
		List<String> ids = idsOf(events(2));
		this.outbox.append(null,
				ids.stream().map((id) -> EventEnvelope.builder("Type").eventId(id).payloadJson("{}").build()).toList());
		CyclicBarrier bothHoldOne = new CyclicBarrier(2);
		AtomicInteger runs = new AtomicInteger();
		List<Callable<Integer>> rivals = new ArrayList<>();
		for (List<String> order : List.of(ids, List.of(ids.get(1), ids.get(0)))) {
			rivals.add(() -> this.outbox.database.transactions().write(() -> {
				boolean first = runs.incrementAndGet() <= 2;
				touch(order.get(0));
				if (first && this.outbox.source.database() != TestDatabase.SQLITE) {
					await(bothHoldOne);
				}
				touch(order.get(1));
				return 1;
			}));
		}
		for (Future<Integer> rival : this.threads.invokeAll(rivals)) {
			assertThat(rival.get(60, TimeUnit.SECONDS)).isOne();
		}
		assertThat(this.outbox.jdbc.queryForObject("SELECT SUM(attempts) FROM outbox_event", Long.class)).isEqualTo(4);
		assertThat(runs.get()).isGreaterThanOrEqualTo((this.outbox.source.database() == TestDatabase.SQLITE) ? 2 : 3);
	}

	private void touch(String eventId) {
		this.outbox.jdbc.update("UPDATE outbox_event SET attempts = attempts + 1 WHERE event_id = ?", eventId);
	}

	private static void await(CyclicBarrier barrier) {
		try {
			barrier.await(30, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void eachCodeForContentionIsTriedAgainAndOthersAreNot() {
		List<SQLException> contention = switch (this.outbox.source.database()) {
			case POSTGRESQL -> List.of(state("40001"), state("40P01"), state("55P03"));
			case MARIADB, MYSQL -> List.of(code(1205), code(1213), code(1020), state("40001"));
			case H2 -> List.of(code(40001), code(50200), code(90131));
			case SQLITE -> List.of(code(5), code(6), code(517));
		};
		for (SQLException failure : contention) {
			AtomicInteger runs = new AtomicInteger();
			assertThat(this.outbox.database.transactions().write(() -> {
				if (runs.incrementAndGet() < 4) {
					throw new UncategorizedSQLException("test", null, failure);
				}
				return "done";
			})).isEqualTo("done");
			assertThat(runs).hasValue(4);
		}
		AtomicInteger runs = new AtomicInteger();
		assertThatExceptionOfType(UncategorizedSQLException.class)
			.isThrownBy(() -> this.outbox.database.transactions().write(() -> {
				runs.incrementAndGet();
				throw new UncategorizedSQLException("test", null, new SQLException("other", "42000", 1));
			}));
		assertThat(runs).hasValue(1);
	}

	private static SQLException state(String state) {
		return new SQLException("contention", state);
	}

	private static SQLException code(int code) {
		return new SQLException("contention", "HY000", code);
	}

}
