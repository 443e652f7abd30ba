package dev.outbox.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

import dev.outbox.EventEnvelope;
import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static dev.outbox.store.OutboxFixture.event;
import static dev.outbox.store.OutboxFixture.events;
import static dev.outbox.store.OutboxFixture.ids;
import static dev.outbox.store.OutboxFixture.idsOf;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract: nobody is given what another one has, and no transaction of ours holds up a
 * business transaction, at the isolation level that the pool gives it.
 */
@EachDatabase
class LockingContractTests {

	private final OutboxFixture outbox;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	LockingContractTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
	}

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
	}

	@Test
	void claimersNeverShareAnEvent() throws Exception {
		List<EventEnvelope> events = events(3000);
		this.outbox.append(null, events);
		Map<String, Long> claimed = new ConcurrentHashMap<>();
		List<Callable<Integer>> claimers = new ArrayList<>();
		for (long node = 1; node <= 4; node++) {
			long owner = node;
			claimers.add(() -> {
				int count = 0;
				int empty = 0;
				while (empty < 3) {
					List<EventRecord> batch = this.outbox.claims.claim(owner, EventSelection.all(), 50);
					batch.forEach((event) -> assertThat(claimed.put(event.eventId(), owner)).isNull());
					count += batch.size();
					empty = batch.isEmpty() ? empty + 1 : 0;
				}
				return count;
			});
		}
		int total = 0;
		for (Future<Integer> claimer : this.threads.invokeAll(claimers)) {
			total += claimer.get();
		}
		assertThat(total).isEqualTo(3000);
		assertThat(claimed.keySet()).containsExactlyInAnyOrderElementsOf(idsOf(events));
		claimed.forEach((id, owner) -> assertThat(this.outbox.row(id).owner()).isEqualTo(owner));
	}

	@Test
	void aSecondClaimerGetsOtherEventsWhileTheFirstOneIsAtIt() throws Exception {
		if (this.outbox.source.database() == TestDatabase.SQLITE) {
			return;
		}
		List<EventEnvelope> events = events(20);
		this.outbox.append(null, events);
		List<String> first = new ArrayList<>();
		whileOpen((database) -> first.addAll(ids(new EventClaims(database).claim(1, EventSelection.all(), 5))), () -> {
			List<EventRecord> second = this.outbox.claims.claim(2, EventSelection.all(), 5);
			assertThat(ids(second)).containsExactlyElementsOf(idsOf(events.subList(5, 10)));
		});
		assertThat(first).containsExactlyElementsOf(idsOf(events.subList(0, 5)));
	}

	@Test
	void noOpenTransactionOfOursHoldsUpABusinessInsert() throws Exception {
		if (this.outbox.source.database() == TestDatabase.SQLITE) {
			return;
		}
		this.outbox.append(null, events(20));
		this.outbox.append(9L, events(20));
		List<EventEnvelope> finished = events(20);
		this.outbox.append(1L, finished);
		this.outbox.settlement.settle(finished.subList(0, 10)
			.stream()
			.map((event) -> new Settlement(new Claim(event.eventId(), 1, 1), new Outcome.Done(), 1, null))
			.toList());
		this.outbox.settlement.settle(finished.subList(10, 20)
			.stream()
			.map((event) -> new Settlement(new Claim(event.eventId(), 1, 1), new Outcome.Dead("dead"), 1, null))
			.toList());
		Map<String, Function<OutboxDatabase, Object>> operations = new TreeMap<>(Map.of( //
				"claim", (database) -> new EventClaims(database).claim(1, EventSelection.all(), 5), //
				"claim of all there is", (database) -> new EventClaims(database).claim(2, EventSelection.all(), 1000),
				"claim of nothing", (database) -> new EventClaims(database).claim(3, EventSelection.all(), 5),
				"reclaim", (database) -> new EventClaims(database).reclaim(Set.of(9L), 5), //
				"release", (database) -> new EventClaims(database).releaseAll(2), //
				"replay", (database) -> new EventAdmin(database).replayAll(EventFilter.NONE, 5), //
				"purge", (database) -> new EventAdmin(database).purge(EventStatus.DONE, Duration.ofDays(-1), 5),
				"purge of nothing",
				(database) -> new EventAdmin(database).purge(EventStatus.DEAD, Duration.ofDays(1), 5), "settle",
				(database) -> new EventSettlement(database, Completion.KEEP)
					.settle(List.of(new Settlement(new Claim("unknown", 1, 1), new Outcome.Done(), 1, null)))));
		for (Map.Entry<String, Function<OutboxDatabase, Object>> operation : operations.entrySet()) {
			whileOpen((database) -> operation.getValue().apply(database), () -> {
				for (String id : new String[] { "0", "zzz", event().eventId() }) {
					insertInBusinessTransaction(id + operation.getKey().length());
				}
			});
			this.outbox.jdbc.update("DELETE FROM outbox_event WHERE event_type = 'Business'");
		}
	}

	/**
	 * Runs an operation in one thread up to its commit, then does something else, then
	 * lets it commit.
	 */
	private void whileOpen(Consumer<OutboxDatabase> operation, Attempt meanwhile) throws Exception {
		HeldCommits held = new HeldCommits(this.outbox.source.dataSource());
		OutboxDatabase database = OutboxFixture.database(held);
		Future<?> open = this.threads.submit(() -> operation.accept(database));
		try {
			held.awaitCommit();
			Future<?> other = this.threads.submit(() -> {
				meanwhile.run();
				return true;
			});
			other.get(20, TimeUnit.SECONDS);
		}
		finally {
			held.letGo();
		}
		open.get(20, TimeUnit.SECONDS);
	}

	private void insertInBusinessTransaction(String eventId) {
		EventEnvelope event = EventEnvelope.builder("Business").eventId(eventId).payloadJson("{}").build();
		new TransactionTemplate(new JdbcTransactionManager(this.outbox.source.dataSource()))
			.executeWithoutResult((status) -> new JdbcTemplate(this.outbox.source.dataSource())
				.execute((ConnectionCallback<Boolean>) (connection) -> {
					this.outbox.appender.append(connection, List.of(new NewEvent(event, 0, null)));
					return true;
				}));
	}

	@Test
	void aStormOfWritersClaimersAndPurgersFailsNobody() throws Exception {
		int writers = 3;
		int perWriter = 300;
		List<Callable<Integer>> business = new ArrayList<>();
		for (int writer = 0; writer < writers; writer++) {
			int number = writer;
			business.add(() -> {
				for (int i = 0; i < perWriter; i++) {
					insertInBusinessTransaction("w" + number + "-" + i);
				}
				return perWriter;
			});
		}
		Set<String> delivered = ConcurrentHashMap.newKeySet();
		List<Callable<Integer>> nodes = new ArrayList<>();
		for (long node = 1; node <= 3; node++) {
			long owner = node;
			nodes.add(() -> {
				while (delivered.size() < writers * perWriter && !Thread.currentThread().isInterrupted()) {
					List<EventRecord> batch = this.outbox.claims.claim(owner, EventSelection.all(), 20);
					List<Settlement> outcomes = new ArrayList<>();
					for (EventRecord event : batch) {
						boolean retry = event.attempts() == 0 && event.sequence() % 7 == 0;
						outcomes.add(new Settlement(event.claim(),
								retry ? new Outcome.Retry(Duration.ZERO, "again") : new Outcome.Done(), 1, null));
						if (!retry) {
							assertThat(delivered.add(event.eventId())).as("delivered once").isTrue();
						}
					}
					Settled settled = this.outbox.settlement.settle(outcomes);
					assertThat(settled.fenced()).isZero();
				}
				return 0;
			});
		}
		nodes.add(() -> {
			while (delivered.size() < writers * perWriter && !Thread.currentThread().isInterrupted()) {
				this.outbox.admin.purge(EventStatus.DONE, Duration.ZERO, 50);
			}
			return 0;
		});
		List<Future<Integer>> running = new ArrayList<>();
		business.forEach((task) -> running.add(this.threads.submit(task)));
		nodes.forEach((task) -> running.add(this.threads.submit(task)));
		for (Future<Integer> task : running) {
			task.get(120, TimeUnit.SECONDS);
		}
		assertThat(delivered).hasSize(writers * perWriter);
	}

	@Test
	void anEventThatCommitsLateIsNotSkipped() throws Exception {
		if (this.outbox.source.database() == TestDatabase.SQLITE) {
			return;
		}
		EventEnvelope late = event((builder) -> builder.eventId("0-late"));
		HeldCommits held = new HeldCommits(this.outbox.source.dataSource());
		Future<?> open = this.threads
			.submit(() -> new TransactionTemplate(new JdbcTransactionManager(held)).executeWithoutResult(
					(status) -> new JdbcTemplate(held).execute((ConnectionCallback<Boolean>) (connection) -> {
						this.outbox.appender.append(connection, List.of(new NewEvent(late, 0, null)));
						return true;
					})));
		held.awaitCommit();
		for (int poll = 0; poll < 3; poll++) {
			EventEnvelope early = event();
			this.outbox.append(early);
			assertThat(ids(this.outbox.claimAll(1))).containsExactly(early.eventId());
		}
		held.letGo();
		open.get(20, TimeUnit.SECONDS);
		assertThat(ids(this.outbox.claimAll(1))).containsExactly(late.eventId());
	}

	/**
	 * Something that may fail in any way.
	 */
	private interface Attempt {

		void run() throws Exception;

	}

}
