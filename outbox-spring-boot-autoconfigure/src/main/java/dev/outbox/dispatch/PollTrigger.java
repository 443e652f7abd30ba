package dev.outbox.dispatch;

import java.time.Duration;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Tells the poller when it is worth looking. It may be pulled from any thread and never
 * blocks.
 * <p>
 * It remembers when events of this node become due, because the looks in between, which
 * find nothing, would make the poller forget it. Moments that are closer together than
 * matters are one, and what is far away is left to the poller's ordinary looks, so there
 * are never many.
 */
public final class PollTrigger {

	private static final long GRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private static final Duration FARTHEST = Duration.ofMinutes(10);

	private final LongSupplier nanos;

	private final long origin;

	private final NavigableSet<Long> dueTimes = new ConcurrentSkipListSet<>();

	private volatile @Nullable BackgroundLoop poller;

	public PollTrigger() {
		this(System::nanoTime);
	}

	PollTrigger(LongSupplier nanos) {
		this.nanos = nanos;
		this.origin = nanos.getAsLong();
	}

	/**
	 * Name the poller.
	 * @param loop its thread
	 */
	public void attach(BackgroundLoop loop) {
		this.poller = loop;
	}

	/**
	 * Let the poller look at once.
	 */
	public void pull() {
		BackgroundLoop loop = this.poller;
		if (loop != null) {
			loop.wake();
		}
	}

	/**
	 * Let the poller look after some time.
	 * @param delay the time
	 */
	public void pullIn(Duration delay) {
		BackgroundLoop loop = this.poller;
		if (loop != null && delay.compareTo(FARTHEST) <= 0) {
			this.dueTimes.add((now() + delay.toNanos()) / GRAIN_NANOS + 1);
			loop.wakeIn(delay);
		}
	}

	/**
	 * Let the poller look, and tell when to look again. The database may tell another
	 * time than this node, so an event that should be due may not be found at once.
	 * @param look looks once and returns how long to wait until the next look
	 * @param due is run before, if an event should be due by now
	 * @return the time until then, or until an event is due that comes earlier
	 * @throws Exception if the look fails
	 */
	public Duration follow(BackgroundLoop.Duty look, Runnable due) throws Exception {
		NavigableSet<Long> past = this.dueTimes.headSet(now() / GRAIN_NANOS, true);
		if (!past.isEmpty()) {
			past.clear();
			due.run();
		}
		Duration pause = look.runOnce();
		Long next = this.dueTimes.isEmpty() ? null : this.dueTimes.first();
		if (next == null) {
			return pause;
		}
		Duration untilDue = Duration.ofNanos(Math.max(0, next * GRAIN_NANOS - now()));
		return (untilDue.compareTo(pause) < 0) ? untilDue : pause;
	}

	private long now() {
		return this.nanos.getAsLong() - this.origin;
	}

}
