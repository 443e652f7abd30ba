package dev.outbox.dispatch;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that does one duty turn after turn until it is stopped. Whatever a turn throws
 * is logged, and the next turn comes all the same. Between turns it waits as long as the
 * duty says, unless it is woken.
 */
public final class BackgroundLoop {

	private static final Logger logger = LoggerFactory.getLogger(BackgroundLoop.class);

	private static final Duration LONGEST_PAUSE = Duration.ofDays(365);

	private final String outbox;

	private final String name;

	private final Duty duty;

	private final Duration pauseAfterFailure;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition wake = this.lock.newCondition();

	private long nextTurn;

	private boolean woken;

	private boolean failing;

	private volatile boolean stopped;

	private @Nullable Thread thread;

	public BackgroundLoop(String outbox, String name, Duration pauseAfterFailure, Duty duty) {
		this.outbox = outbox;
		this.name = name;
		this.pauseAfterFailure = pauseAfterFailure;
		this.duty = duty;
	}

	/**
	 * Start the thread.
	 */
	public synchronized void start() {
		this.stopped = false;
		Thread starting = new Thread(this::run, this.outbox + "-" + this.name);
		starting.setDaemon(true);
		this.thread = starting;
		starting.start();
	}

	/**
	 * Let the present turn be the last one, without waiting for its end.
	 */
	public void stopSoon() {
		this.stopped = true;
		wake();
	}

	/**
	 * Let the present turn end and stop.
	 * @param timeout how long to wait for the turn before it is interrupted
	 */
	public void stop(Duration timeout) {
		Thread stopping;
		synchronized (this) {
			stopping = this.thread;
			this.thread = null;
		}
		stopSoon();
		if (stopping == null || stopping == Thread.currentThread()) {
			return;
		}
		try {
			stopping.join(Math.max(1, timeout.toMillis()));
			if (stopping.isAlive()) {
				stopping.interrupt();
				stopping.join(TimeUnit.SECONDS.toMillis(1));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Take the next turn at once.
	 */
	public void wake() {
		this.lock.lock();
		try {
			this.woken = true;
			this.wake.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Take the next turn no later than after some time.
	 * @param delay the time
	 */
	public void wakeIn(Duration delay) {
		long at = System.nanoTime() + nanos(delay);
		this.lock.lock();
		try {
			if (at - this.nextTurn < 0) {
				this.nextTurn = at;
				this.wake.signalAll();
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void run() {
		while (!this.stopped) {
			long pause = turn();
			try {
				await(pause);
			}
			catch (InterruptedException ex) {
				logger.debug("{}: {} was interrupted while it waited", this.outbox, this.name);
			}
		}
	}

	private long turn() {
		this.lock.lock();
		try {
			this.woken = false;
			this.nextTurn = Long.MAX_VALUE / 2 + System.nanoTime();
		}
		finally {
			this.lock.unlock();
		}
		try {
			long pause = nanos(this.duty.runOnce());
			if (this.failing) {
				this.failing = false;
				logger.info("{}: {} works again", this.outbox, this.name);
			}
			return pause;
		}
		catch (Throwable ex) {
			if (!this.stopped) {
				logFailure(ex);
			}
			return this.pauseAfterFailure.toNanos();
		}
	}

	/**
	 * Pauses may be longer than nanoseconds can tell.
	 */
	private static long nanos(Duration pause) {
		return (pause.compareTo(LONGEST_PAUSE) < 0) ? pause.toNanos() : LONGEST_PAUSE.toNanos();
	}

	private void logFailure(Throwable failure) {
		if (this.failing) {
			logger.debug("{}: {} failed again", this.outbox, this.name, failure);
		}
		else {
			this.failing = true;
			logger.warn("{}: {} failed and is tried again every {} ms: {}", this.outbox, this.name,
					this.pauseAfterFailure.toMillis(), failure.toString());
		}
	}

	private void await(long pause) throws InterruptedException {
		this.lock.lock();
		try {
			long at = System.nanoTime() + pause;
			if (at - this.nextTurn < 0) {
				this.nextTurn = at;
			}
			while (!this.stopped && !this.woken) {
				long remaining = this.nextTurn - System.nanoTime();
				if (remaining <= 0) {
					return;
				}
				this.wake.awaitNanos(remaining);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * What is done in a turn.
	 */
	@FunctionalInterface
	public interface Duty {

		/**
		 * Do it once.
		 * @return how long to wait until the next time
		 * @throws Exception if it fails
		 */
		Duration runOnce() throws Exception;

	}

}
