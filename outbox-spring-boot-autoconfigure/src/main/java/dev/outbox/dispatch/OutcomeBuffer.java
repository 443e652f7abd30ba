package dev.outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import dev.outbox.store.Claim;
import dev.outbox.store.EventSettlement;
import dev.outbox.store.Outcome;
import dev.outbox.store.Settled;
import dev.outbox.store.Settlement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects outcomes for a few milliseconds and records them together. An outcome that
 * cannot be recorded because the database is out of reach stays here until it can, and
 * workers take no more events when too many have collected.
 */
final class OutcomeBuffer {

	private static final Logger logger = LoggerFactory.getLogger(OutcomeBuffer.class);

	private static final int BATCHES = 4;

	private final String outbox;

	private final EventSettlement settlement;

	private final CompletionProperties properties;

	private final InFlight inFlight;

	private final DispatchStatistics statistics;

	private final Consumer<Duration> dueIn;

	private final BackgroundLoop loop;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition roomLeft = this.lock.newCondition();

	private List<Settlement> waiting = new ArrayList<>();

	private int underWay;

	private boolean stopping;

	OutcomeBuffer(String outbox, EventSettlement settlement, CompletionProperties properties, InFlight inFlight,
			DispatchStatistics statistics, Consumer<Duration> dueIn) {
		this.outbox = outbox;
		this.settlement = settlement;
		this.properties = properties;
		this.inFlight = inFlight;
		this.statistics = statistics;
		this.dueIn = dueIn;
		this.loop = new BackgroundLoop(outbox, "outcomes", Duration.ofMillis(250), this::runOnce);
	}

	void start() {
		this.loop.start();
	}

	/**
	 * Add an outcome. This never waits, because it may be called on threads that are not
	 * ours.
	 */
	void add(Settlement outcome) {
		this.lock.lock();
		try {
			this.waiting.add(outcome);
			if (this.waiting.size() == 1) {
				this.loop.wakeIn(this.properties.maxDelay());
			}
			else if (this.waiting.size() == this.properties.maxBatch()) {
				this.loop.wake();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Wait while too many outcomes have collected.
	 */
	void awaitRoom() throws InterruptedException {
		this.lock.lockInterruptibly();
		try {
			while (!this.stopping && this.waiting.size() >= this.properties.maxBatch() * BATCHES) {
				this.roomLeft.await();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Let nobody wait any more, because no more events are taken.
	 */
	void stopWaiting() {
		this.lock.lock();
		try {
			this.stopping = true;
			this.roomLeft.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Forget outcomes of a node id that is gone: they would be fenced.
	 */
	void lost(long nodeId) {
		this.lock.lock();
		try {
			List<Claim> gone = this.waiting.stream()
				.map(Settlement::claim)
				.filter((claim) -> claim.owner() == nodeId)
				.toList();
			this.waiting.removeIf((outcome) -> outcome.claim().owner() == nodeId);
			this.statistics.fenced.add(gone.size());
			this.inFlight.removeAll(gone);
			this.roomLeft.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Record all that has collected.
	 * @return how long to wait until the next time
	 */
	Duration runOnce() {
		List<Settlement> batch = take();
		while (!batch.isEmpty()) {
			record(batch);
			batch = take();
		}
		return Duration.ofHours(1);
	}

	/**
	 * Stop after recording what has collected.
	 * @return whether all of it was recorded
	 */
	boolean stop(Duration timeout) {
		this.loop.stop(timeout);
		long end = System.nanoTime() + timeout.toNanos();
		do {
			try {
				runOnce();
				if (isEmpty()) {
					return true;
				}
			}
			catch (RuntimeException ex) {
				logger.warn("{}: outcomes could not be recorded while stopping: {}", this.outbox, ex.toString());
			}
			pause();
		}
		while (System.nanoTime() - end < 0);
		return false;
	}

	/**
	 * Return whether nothing waits, here or on a thread that hangs with what it took.
	 */
	private boolean isEmpty() {
		this.lock.lock();
		try {
			return this.waiting.isEmpty() && this.underWay == 0;
		}
		finally {
			this.lock.unlock();
		}
	}

	private static void pause() {
		LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
	}

	private List<Settlement> take() {
		this.lock.lock();
		try {
			int size = Math.min(this.waiting.size(), this.properties.maxBatch());
			List<Settlement> batch = new ArrayList<>(this.waiting.subList(0, size));
			this.waiting = new ArrayList<>(this.waiting.subList(size, this.waiting.size()));
			this.underWay += batch.size();
			this.roomLeft.signalAll();
			return batch;
		}
		finally {
			this.lock.unlock();
		}
	}

	private void putDown(List<Settlement> batch, boolean recorded) {
		this.lock.lock();
		try {
			this.underWay -= batch.size();
			if (!recorded) {
				this.waiting.addAll(0, batch);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void record(List<Settlement> batch) {
		Settled settled;
		try {
			settled = this.settlement.settle(batch);
		}
		catch (RuntimeException | Error ex) {
			putDown(batch, false);
			throw ex;
		}
		putDown(batch, true);
		settled.refused()
			.forEach((claim, failure) -> logger.error(
					"{}: the outcome of event {} was refused by the database, so the event is delivered again",
					this.outbox, claim.eventId(), failure));
		if (settled.fenced() > 0) {
			this.statistics.fenced.add(settled.fenced());
			logger.warn("{}: {} outcomes are not recorded now: their events were recorded already or "
					+ "taken over by others", this.outbox, settled.fenced());
		}
		batch.forEach((outcome) -> this.inFlight.remove(outcome.claim()));
		batch.stream()
			.map(Settlement::outcome)
			.map(OutcomeBuffer::delay)
			.filter((delay) -> !delay.isNegative())
			.min(Duration::compareTo)
			.ifPresent(this.dueIn);
	}

	private static Duration delay(Outcome outcome) {
		if (outcome instanceof Outcome.Retry retry) {
			return retry.delay();
		}
		return (outcome instanceof Outcome.Deferred deferred) ? deferred.delay() : Duration.ofMillis(-1);
	}

}
