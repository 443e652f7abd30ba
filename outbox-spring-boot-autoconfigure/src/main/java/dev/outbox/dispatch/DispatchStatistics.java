package dev.outbox.dispatch;

import java.util.concurrent.atomic.LongAdder;

/**
 * What has happened to events on this node since it started.
 */
public final class DispatchStatistics {

	final LongAdder hotEnqueued = new LongAdder();

	final LongAdder hotRefused = new LongAdder();

	final LongAdder coldEnqueued = new LongAdder();

	final LongAdder delivered = new LongAdder();

	final LongAdder failed = new LongAdder();

	final LongAdder dead = new LongAdder();

	final LongAdder fenced = new LongAdder();

	final LongAdder phantomsAverted = new LongAdder();

	/**
	 * Return how many events got a place in the hot queue.
	 * @return the number
	 */
	public long hotEnqueued() {
		return this.hotEnqueued.sum();
	}

	/**
	 * Return how many events were written here for which there was no place left in the
	 * hot queue.
	 * @return the number
	 */
	public long hotRefused() {
		return this.hotRefused.sum();
	}

	/**
	 * Return how many events the poller brought.
	 * @return the number
	 */
	public long coldEnqueued() {
		return this.coldEnqueued.sum();
	}

	/**
	 * Return how many events were delivered.
	 * @return the number
	 */
	public long delivered() {
		return this.delivered.sum();
	}

	/**
	 * Return how many attempts failed and are repeated.
	 * @return the number
	 */
	public long failed() {
		return this.failed.sum();
	}

	/**
	 * Return how many events were given up.
	 * @return the number
	 */
	public long dead() {
		return this.dead.sum();
	}

	/**
	 * Return how many outcomes came too late to be recorded.
	 * @return the number
	 */
	public long fenced() {
		return this.fenced.sum();
	}

	/**
	 * Return how many events were handed over although they were never committed.
	 * @return the number
	 */
	public long phantomsAverted() {
		return this.phantomsAverted.sum();
	}

}
