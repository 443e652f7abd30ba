package dev.outbox.dead;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import dev.outbox.OutboxException;

/**
 * Lets time pass between batches.
 */
@FunctionalInterface
interface Pacing {

	/**
	 * The pacing that waits.
	 */
	Pacing PARKING = Pacing::park;

	/**
	 * Return after some time.
	 * @param time how long
	 */
	void pause(Duration time);

	private static void park(Duration time) {
		long end = System.nanoTime() + time.toNanos();
		for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
			if (Thread.currentThread().isInterrupted()) {
				throw new OutboxException(
						"Interrupted while dead events were delivered again, before all of them were");
			}
			LockSupport.parkNanos(left);
		}
	}

}
