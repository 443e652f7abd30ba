package dev.outbox.retry;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Pauses one listener while it fails whatever the event is, so that an outage does not
 * use up the attempts of the events that meet it.
 * <ol>
 * <li>Closed, it lets everything through and counts the failures since the last success
 * and, up to the number that matters, the different events among them.
 * <li>When there are enough of both it opens: nothing is let through for an interval.
 * <li>Then one delivery may go through as a probe, and another one an interval after its
 * start. A probe that has not reported back by then is waited for during one more
 * interval, but not for ever.
 * <li>The first success closes it, whether of a probe or of a delivery that began before.
 * </ol>
 * The state is one immutable value that is replaced as a whole, so no lock is held at any
 * time.
 */
public final class Breaker {

	private static final Closed CLEAN = new Closed(0, Set.of());

	private final int failures;

	private final int events;

	private final long interval;

	private final LongSupplier nanos;

	private final Consumer<Boolean> onChange;

	private final AtomicReference<State> state = new AtomicReference<>(CLEAN);

	/**
	 * Create a closed breaker.
	 * @param properties when it opens and how often it probes
	 * @param nanos a monotonic clock such as {@link System#nanoTime()}
	 * @param onChange told {@code true} after it has opened and {@code false} after it
	 * has closed, on the thread whose report did it
	 */
	public Breaker(BreakerProperties properties, LongSupplier nanos, Consumer<Boolean> onChange) {
		this.failures = properties.failures();
		this.events = properties.events();
		this.interval = properties.probeInterval().toNanos();
		this.nanos = nanos;
		this.onChange = onChange;
	}

	/**
	 * Return whether deliveries go through without being probes.
	 * @return whether the breaker is closed
	 */
	public boolean isClosed() {
		return this.state.get() instanceof Closed;
	}

	/**
	 * Ask to call the listener. Who gets a probe reports afterwards that it succeeded,
	 * failed, or was abandoned.
	 * @return whether the listener may be called, and as what
	 */
	public Permit tryAcquire() {
		while (this.state.get() instanceof Open open) {
			long now = this.nanos.getAsLong();
			if (!open.isDue(now)) {
				return Permit.REFUSED;
			}
			if (this.state.compareAndSet(open, new Open(now + 2 * this.interval, true))) {
				return Permit.PROBE;
			}
		}
		return Permit.NORMAL;
	}

	/**
	 * Report that the listener has handled an event.
	 */
	public void succeeded() {
		State before = this.state.get();
		while (before != CLEAN) {
			if (this.state.compareAndSet(before, CLEAN)) {
				if (before instanceof Open) {
					this.onChange.accept(false);
				}
				return;
			}
			before = this.state.get();
		}
	}

	/**
	 * Report that a call of the listener has failed in a way that may be an outage.
	 * @param eventIds the events it failed with
	 */
	public void failed(Set<String> eventIds) {
		if (this.failures == 0) {
			return;
		}
		while (true) {
			State before = this.state.get();
			State after = (before instanceof Closed closed) ? count(closed, eventIds)
					: ((Open) before).reported(this.interval);
			if (this.state.compareAndSet(before, after)) {
				if (before instanceof Closed && after instanceof Open) {
					this.onChange.accept(true);
				}
				return;
			}
		}
	}

	private State count(Closed closed, Set<String> eventIds) {
		Closed next = closed.and(eventIds, this.events);
		return (next.failures() >= this.failures && next.events().size() >= this.events)
				? new Open(this.nanos.getAsLong() + this.interval, false) : next;
	}

	/**
	 * Report that a probe was not made, so that the next delivery can be it.
	 */
	public void abandoned() {
		State before = this.state.get();
		while (before instanceof Open open && open.probing()) {
			if (this.state.compareAndSet(open, new Open(this.nanos.getAsLong(), false))) {
				return;
			}
			before = this.state.get();
		}
	}

	/**
	 * Return whether the breaker is open and would let a probe through now.
	 * @return whether a probe is due
	 */
	public boolean probeDue() {
		return this.state.get() instanceof Open open && open.isDue(this.nanos.getAsLong());
	}

	/**
	 * Return how long it takes until a delivery can go through.
	 * @return the time until the next probe; zero if one is due or the breaker is closed
	 */
	public Duration untilProbe() {
		return (this.state.get() instanceof Open open)
				? Duration.ofNanos(Math.max(0, open.probeAt() - this.nanos.getAsLong())) : Duration.ZERO;
	}

	/**
	 * What may be done with the listener.
	 */
	public enum Permit {

		/**
		 * Call it as usual.
		 */
		NORMAL,

		/**
		 * Call it to see whether it works again; a failure is not counted against the
		 * event.
		 */
		PROBE,

		/**
		 * Leave it alone.
		 */
		REFUSED

	}

	private sealed interface State {

	}

	/**
	 * Everything goes through.
	 *
	 * @param failures how many failures there were since the last success
	 * @param events different events among them, no more than matter
	 */
	private record Closed(int failures, Set<String> events) implements State {

		Closed and(Set<String> eventIds, int enough) {
			int count = (this.failures < Integer.MAX_VALUE) ? this.failures + 1 : this.failures;
			Set<String> more = new HashSet<>(this.events);
			eventIds.stream().limit(enough).forEach(more::add);
			return new Closed(count, (this.events.size() < enough) ? more : this.events);
		}

	}

	/**
	 * Nothing but probes goes through.
	 *
	 * @param probeAt when the next probe is due, by the monotonic clock
	 * @param probing whether a probe has not reported back yet
	 */
	private record Open(long probeAt, boolean probing) implements State {

		boolean isDue(long now) {
			return now - this.probeAt >= 0;
		}

		/**
		 * Does not wait for the probe any longer.
		 */
		Open reported(long interval) {
			return this.probing ? new Open(this.probeAt - interval, false) : this;
		}

	}

}
