package dev.outbox.retry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import dev.outbox.retry.Breaker.Permit;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Breaker}.
 */
class BreakerTests {

	private static final Duration INTERVAL = Duration.ofSeconds(5);

	private static final Duration TICK = Duration.ofNanos(1);

	private static final int THREADS = 16;

	/**
	 * Near the end of its range, as the clock of a JVM may be.
	 */
	private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 10);

	private final List<Boolean> changes = Collections.synchronizedList(new ArrayList<>());

	private final Breaker breaker = breaker(20, 3);

	private Breaker breaker(int failures, int events) {
		return new Breaker(new BreakerProperties(failures, events, INTERVAL), this.clock::get, this.changes::add);
	}

	private void pass(Duration time) {
		this.clock.addAndGet(time.toNanos());
	}

	private void fail(int times, int differentEvents) {
		for (int i = 0; i < times; i++) {
			this.breaker.failed(Set.of("event" + i % differentEvents));
		}
	}

	private void open() {
		fail(20, 3);
		assertThat(this.breaker.isClosed()).isFalse();
	}

	@Test
	void opensAfterSoManyFailuresOfSoManyEvents() {
		fail(19, 19);
		assertThat(this.breaker.isClosed()).isTrue();
		assertThat(this.breaker.tryAcquire()).isEqualTo(Permit.NORMAL);
		assertThat(this.breaker.probeDue()).isFalse();
		assertThat(this.breaker.untilProbe()).isZero();
		this.breaker.failed(Set.of("last"));
		assertThat(this.breaker.isClosed()).isFalse();
		assertThat(this.breaker.tryAcquire()).isEqualTo(Permit.REFUSED);
		assertThat(this.changes).containsExactly(true);
	}

	@Test
	void fewEventsThatFailOftenDoNotOpenIt() {
		fail(1000, 2);
		assertThat(this.breaker.isClosed()).isTrue();
		this.breaker.failed(Set.of("third"));
		assertThat(this.breaker.isClosed()).isFalse();
	}

	@Test
	void aCallWithManyEventsIsOneFailure() {
		Set<String> many = Set.of("a", "b", "c", "d", "e");
		for (int i = 0; i < 19; i++) {
			this.breaker.failed(many);
		}
		assertThat(this.breaker.isClosed()).isTrue();
		this.breaker.failed(many);
		assertThat(this.breaker.isClosed()).isFalse();
	}

	@Test
	void aSuccessBetweenStartsTheCountAnew() {
		fail(19, 19);
		this.breaker.succeeded();
		fail(19, 19);
		assertThat(this.breaker.isClosed()).isTrue();
		this.breaker.succeeded();
		fail(20, 2);
		assertThat(this.breaker.isClosed()).as("events before the success are forgotten").isTrue();
		assertThat(this.changes).isEmpty();
	}

	@Test
	void openItLetsOneProbeThroughPerInterval() {
		open();
		assertThat(this.breaker.untilProbe()).isEqualTo(INTERVAL);
		pass(INTERVAL.minus(TICK));
		assertThat(this.breaker.probeDue()).isFalse();
		assertThat(this.breaker.tryAcquire()).isEqualTo(Permit.REFUSED);
		pass(TICK);
		assertThat(this.breaker.probeDue()).isTrue();
		assertThat(this.breaker.untilProbe()).isZero();
		assertThat(this.breaker.tryAcquire()).isEqualTo(Permit.PROBE);
		assertThat(this.breaker.tryAcquire()).isEqualTo(Permit.REFUSED);
		pass(TICK);
		this.breaker.failed(Set.of("probe"));
		assertThat(this.breaker.isClosed()).isFalse();
		pass(INTERVAL.minus(TICK).minus(TICK));
		assertThat(this.breaker.tryAcquire()).isEqualTo(Permit.REFUSED);
		pass(TICK);
		assertThat(this.breaker.tryAcquire()).isEqualTo(Permit.PROBE);
		assertThat(this.changes).containsExactly(true);
	}

	@Test
	void aProbeThatIsStillGoingOnIsTheOnlyOneForTwoIntervals() {
		open();
		pass(INTERVAL);
		assertThat(this.breaker.tryAcquire()).isEqualTo(Permit.PROBE);
		pass(INTERVAL.multipliedBy(2).minus(TICK));
		assertThat(this.breaker.probeDue()).isFalse();
		assertThat(this.breaker.tryAcquire()).isEqualTo(Permit.REFUSED);
		pass(TICK);
		assertThat(this.breaker.tryAcquire()).as("it does not wait for ever").isEqualTo(Permit.PROBE);
	}

	@Test
	void aProbeThatSucceedsClosesIt() {
		open();
		pass(INTERVAL);
		assertThat(this.breaker.tryAcquire()).isEqualTo(Permit.PROBE);
		this.breaker.succeeded();
		assertThat(this.breaker.isClosed()).isTrue();
		assertThat(this.breaker.tryAcquire()).isEqualTo(Permit.NORMAL);
		assertThat(this.changes).containsExactly(true, false);
		fail(19, 19);
		assertThat(this.breaker.isClosed()).as("it begins to count at zero").isTrue();
		this.breaker.failed(Set.of("last"));
		assertThat(this.changes).containsExactly(true, false, true);
	}

	@Test
	void aDeliveryThatBeganBeforeClosesItWhenItSucceeds() {
		open();
		this.breaker.succeeded();
		assertThat(this.breaker.isClosed()).isTrue();
	}

	@Test
	void deliveriesThatBeganBeforeAndFailDoNotDelayTheProbe() {
		open();
		pass(INTERVAL.minus(TICK));
		fail(10, 10);
		pass(TICK);
		assertThat(this.breaker.tryAcquire()).isEqualTo(Permit.PROBE);
		assertThat(this.changes).containsExactly(true);
	}

	@Test
	void aProbeThatWasNotMadeCanBeMadeAtOnce() {
		open();
		pass(INTERVAL);
		assertThat(this.breaker.tryAcquire()).isEqualTo(Permit.PROBE);
		this.breaker.abandoned();
		assertThat(this.breaker.isClosed()).isFalse();
		assertThat(this.breaker.probeDue()).isTrue();
		assertThat(this.breaker.tryAcquire()).isEqualTo(Permit.PROBE);
		assertThat(this.breaker.tryAcquire()).isEqualTo(Permit.REFUSED);
	}

	@Test
	void nothingIsAbandonedWithoutAProbe() {
		this.breaker.abandoned();
		assertThat(this.breaker.isClosed()).isTrue();
		open();
		this.breaker.abandoned();
		assertThat(this.breaker.tryAcquire()).isEqualTo(Permit.REFUSED);
	}

	@Test
	void zeroFailuresSwitchItOff() {
		Breaker off = breaker(0, 1);
		for (int i = 0; i < 100; i++) {
			off.failed(Set.of("event" + i));
		}
		assertThat(off.isClosed()).isTrue();
		assertThat(off.tryAcquire()).isEqualTo(Permit.NORMAL);
		assertThat(this.changes).isEmpty();
	}

	@Test
	void theListenerOfChangesMayAskTheBreaker() {
		List<Permit> permits = new ArrayList<>();
		Breaker[] self = new Breaker[1];
		self[0] = new Breaker(new BreakerProperties(1, 1, INTERVAL), this.clock::get,
				(opened) -> permits.add(self[0].tryAcquire()));
		self[0].failed(Set.of("event"));
		self[0].succeeded();
		assertThat(permits).containsExactly(Permit.REFUSED, Permit.NORMAL);
	}

	@Test
	void manyThreadsOpenItOnceAndNoFailureIsLost() throws Exception {
		for (int round = 0; round < 200; round++) {
			Breaker contended = breaker(THREADS, THREADS);
			this.changes.clear();
			inThreads((thread) -> {
				contended.failed(Set.of("event" + thread));
				return true;
			});
			assertThat(contended.isClosed()).isFalse();
			assertThat(this.changes).containsExactly(true);
			inThreads((thread) -> {
				contended.succeeded();
				return true;
			});
			assertThat(this.changes).containsExactly(true, false);
		}
	}

	@Test
	void oneOfManyThreadsGetsTheProbe() throws Exception {
		for (int round = 0; round < 200; round++) {
			Breaker contended = breaker(1, 1);
			contended.failed(Set.of("event"));
			pass(INTERVAL);
			assertThat(inThreads((thread) -> contended.tryAcquire())).containsOnlyOnce(Permit.PROBE)
				.doesNotContain(Permit.NORMAL);
		}
	}

	private static <T> List<T> inThreads(Work<T> work) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try {
			CyclicBarrier start = new CyclicBarrier(THREADS);
			List<Callable<T>> calls = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				int thread = i;
				calls.add(() -> {
					start.await();
					return work.run(thread);
				});
			}
			List<T> results = new ArrayList<>();
			for (Future<T> call : threads.invokeAll(calls)) {
				results.add(call.get());
			}
			return results;
		}
		finally {
			threads.shutdownNow();
		}
	}

	private interface Work<T> {

		T run(int thread);

	}

}
