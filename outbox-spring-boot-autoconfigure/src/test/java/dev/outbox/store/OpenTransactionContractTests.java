package dev.outbox.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
 * Contract: an open transaction, of ours or of the application, holds up nobody else.
 * SQLite has one writer at a time, so there is nothing to hold up.
 */
@EachDatabase(except = TestDatabase.SQLITE)
class OpenTransactionContractTests {

	private final OutboxFixture outbox;

	private final ExecutorService threads = Executors.newCachedThreadPool();

	OpenTransactionContractTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
	}

	@AfterEach
	void stop() {
		this.threads.shutdownNow();
	}

	@Test
	void aSecondClaimerGetsOtherEventsWhileTheFirstOneIsAtIt() throws Exception {
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
				"reclaim", (database) -> new NodeClaims(database).reclaim(Set.of(9L), 5), //
				"release", (database) -> new NodeClaims(database).releaseAll(2), //
				"replay", (database) -> new EventAdmin(database).replayAll(EventFilter.NONE, 5), //
				"purge", (database) -> new EventAdmin(database).purge(EventStatus.DONE, Duration.ofDays(-1), 5),
				"purge of nothing",
				(database) -> new EventAdmin(database).purge(EventStatus.DEAD, Duration.ofDays(1), 5), "settle",
				(database) -> new EventSettlement(database, Completion.KEEP)
					.settle(List.of(new Settlement(new Claim("unknown", 1, 1), new Outcome.Done(), 1, null)))));
		for (Map.Entry<String, Function<OutboxDatabase, Object>> operation : operations.entrySet()) {
			whileOpen((database) -> operation.getValue().apply(database), () -> {
				for (String id : new String[] { "0", "zzz", event().eventId() }) {
					this.outbox.appendInBusinessTransaction(id + operation.getKey().length());
				}
			});
			this.outbox.jdbc.update("DELETE FROM outbox_event WHERE event_type = 'Business'");
		}
	}

	/**
	 * Found by the storm: between the reads of new and of retried candidates another node
	 * tried the event, so that both found it.
	 */
	@Test
	void anEventThatIsTriedWhileCandidatesAreReadIsClaimedOnce() {
		List<EventEnvelope> events = events(2);
		events.forEach((event) -> this.outbox.append(event));
		AtomicInteger reads = new AtomicInteger();
		RecordedStatements stepIn = new RecordedStatements(this.outbox.source.dataSource(), (statement) -> {
			if (statement.contains("ORDER BY") && reads.incrementAndGet() == 2) {
				Claim tried = this.outbox.claimAll(2).get(0).claim();
				this.outbox.settlement
					.settle(List.of(new Settlement(tried, new Outcome.Retry(Duration.ZERO, "again"), 1, null)));
			}
		});
		List<EventRecord> claimed = new EventClaims(OutboxFixture.database(stepIn)).claim(1, EventSelection.all(), 2);
		assertThat(ids(claimed)).doesNotHaveDuplicates();
	}

	@Test
	void anEventThatALiveNodeTookMeanwhileIsNotTakenBackFromIt() {
		List<EventEnvelope> events = events(3);
		this.outbox.append(9L, events);
		AtomicInteger statements = new AtomicInteger();
		RecordedStatements stepIn = new RecordedStatements(this.outbox.source.dataSource(), (statement) -> {
			if (statements.incrementAndGet() == 2) {
				assertThat(this.outbox.nodeClaims.reclaim(Set.of(9L), 10)).isEqualTo(3);
				assertThat(this.outbox.claims.claim(1, EventSelection.all(), 2)).hasSize(2);
			}
		});
		assertThat(new NodeClaims(OutboxFixture.database(stepIn)).reclaim(Set.of(9L), 10)).isZero();
		assertThat(this.outbox.nodeClaims.owners()).containsExactly(1L);
	}

	@Test
	void anEventThatCommitsLateIsNotSkipped() throws Exception {
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

	/**
	 * Something that may fail in any way.
	 */
	private interface Attempt {

		void run() throws Exception;

	}

}
