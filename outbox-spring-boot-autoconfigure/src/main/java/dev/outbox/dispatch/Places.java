package dev.outbox.dispatch;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * How many calls of a listener may be under way. When all places are taken and none has
 * become free for a while, the listener is stuck, and its events are better off in the
 * table than in the queues, where they would keep others out.
 */
final class Places {

	private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Semaphore free;

	private volatile long lastChange = System.nanoTime();

	Places(int count) {
		this.free = new Semaphore(count);
	}

	boolean tryEnter() {
		boolean entered = this.free.tryAcquire();
		if (entered) {
			this.lastChange = System.nanoTime();
		}
		return entered;
	}

	void leave() {
		this.lastChange = System.nanoTime();
		this.free.release();
	}

	boolean areTaken() {
		return this.free.availablePermits() == 0;
	}

	boolean areStuck() {
		return areTaken() && System.nanoTime() - this.lastChange > STUCK_NANOS;
	}

}
