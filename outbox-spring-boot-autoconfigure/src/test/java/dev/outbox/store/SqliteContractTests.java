package dev.outbox.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.PoolOptions;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static dev.outbox.store.OutboxFixture.event;
import static dev.outbox.store.OutboxFixture.events;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract: what is particular about SQLite, where one transaction writes at a time.
 */
@EachDatabase(only = TestDatabase.SQLITE)
class SqliteContractTests {

	private final OutboxFixture outbox;

	SqliteContractTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
	}

	/**
	 * With deferred transactions, one that reads first fails as soon as another one has
	 * written; ours never read first.
	 */
	@Test
	void ourTransactionsWorkWhereThePoolDefersThem() throws Exception {
		ExecutorService threads = Executors.newCachedThreadPool();
		try (TestDataSource source = this.outbox.source
			.anotherPool(PoolOptions.defaults().withUrlParameter("transaction_mode", "DEFERRED"))) {
			OutboxFixture deferred = OutboxFixture.through(source);
			deferred.append(null, events(400));
			deferred.append(99L, events(400));
			List<Callable<Integer>> nodes = new ArrayList<>();
			for (long node = 1; node <= 4; node++) {
				long owner = node;
				nodes.add(() -> {
					int claimed = 0;
					int count;
					int reclaimed;
					do {
						reclaimed = deferred.nodeClaims.reclaim(Set.of(99L), 5);
						count = deferred.claims.claim(owner, EventSelection.all(), 5).size();
						claimed += count;
					}
					while (count > 0 || reclaimed > 0);
					return claimed;
				});
			}
			int total = 0;
			for (Future<Integer> node : threads.invokeAll(nodes)) {
				total += node.get();
			}
			assertThat(total).isEqualTo(800);
		}
		finally {
			threads.shutdownNow();
		}
	}

	@Test
	void aTransactionOfOursThatReadsFirstIsTheWriterFromItsStart() throws Exception {
		ExecutorService threads = Executors.newSingleThreadExecutor();
		try (TestDataSource source = this.outbox.source
			.anotherPool(PoolOptions.defaults().withUrlParameter("transaction_mode", "DEFERRED"))) {
			OutboxFixture deferred = OutboxFixture.through(source);
			AtomicInteger runs = new AtomicInteger();
			List<Future<?>> rivals = new ArrayList<>();
			deferred.database.transactions().write(() -> {
				deferred.rows();
				if (runs.incrementAndGet() == 1) {
					rivals.add(threads.submit(() -> this.outbox.append(event())));
					awaitIfPossible(rivals.get(0));
				}
				return deferred.jdbc.update("UPDATE outbox_event SET attempts = attempts + 1");
			});
			rivals.get(0).get();
			assertThat(runs).hasValue(1);
		}
		finally {
			threads.shutdownNow();
		}
	}

	private static void awaitIfPossible(Future<?> rival) {
		try {
			rival.get(300, TimeUnit.MILLISECONDS);
		}
		catch (Exception ex) {
			assertThat(ex).isInstanceOf(TimeoutException.class);
		}
	}

	@Test
	void anEventThatIsNotDueStaysNotDueForAYear() {
		this.outbox.append(event((builder) -> builder.deliverAfter(Duration.ofDays(365))));
		assertThat(this.outbox.claimAll(1)).isEmpty();
	}

}
