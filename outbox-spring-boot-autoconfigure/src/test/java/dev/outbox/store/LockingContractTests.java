package dev.outbox.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import dev.outbox.EventEnvelope;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static dev.outbox.store.OutboxFixture.event;
import static dev.outbox.store.OutboxFixture.events;
import static dev.outbox.store.OutboxFixture.idsOf;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract: nobody is given what another one has, and nobody fails, however many write,
 * claim and purge at once at the isolation level that the pool gives them.
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
	void aStormOfWritersClaimersAndPurgersFailsNobody() throws Exception {
		int writers = 3;
		int perWriter = 300;
		List<Callable<Integer>> business = new ArrayList<>();
		for (int writer = 0; writer < writers; writer++) {
			int number = writer;
			business.add(() -> {
				for (int i = 0; i < perWriter; i++) {
					this.outbox.appendInBusinessTransaction("w" + number + "-" + i);
				}
				return perWriter;
			});
		}
		Map<String, String> delivered = new ConcurrentHashMap<>();
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
							String how = owner + " " + event;
							assertThat(delivered.put(event.eventId(), how)).as("earlier delivery of %s", how).isNull();
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
		CompletionService<Integer> running = new ExecutorCompletionService<>(this.threads);
		business.forEach(running::submit);
		nodes.forEach(running::submit);
		for (int i = 0; i < business.size() + nodes.size(); i++) {
			Future<Integer> finished = running.poll(120, TimeUnit.SECONDS);
			assertThat(finished).as("somebody finishes").isNotNull();
			finished.get();
		}
		assertThat(delivered.size()).isEqualTo(writers * perWriter);
	}

}
