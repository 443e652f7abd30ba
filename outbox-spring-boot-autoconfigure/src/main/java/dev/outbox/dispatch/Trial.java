package dev.outbox.dispatch;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.outbox.EventEnvelope;
import dev.outbox.listener.Delivery;
import dev.outbox.listener.DeliveryResult;
import dev.outbox.store.Claim;
import dev.outbox.store.EventFilter;
import dev.outbox.store.Outcome;
import dev.outbox.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to deliver one event: which of its listeners are still to be called, what
 * they answered, and what follows from it.
 * <ul>
 * <li>A listener that has had the event is not called again.
 * <li>A listener that asked for a delay, or that was only probed, has not been tried.
 * <li>A listener that failed too often, or hopelessly, is given up; the event stays
 * pending for the others and is dead when nobody is left to be called.
 * </ul>
 * Listeners may answer on any thread, and several of them at the same time.
 */
final class Trial {

	private QueuedEvent event;

	private final EventEnvelope envelope;

	private final List<ListenerGuard> guards;

	private final Progress progress;

	private final boolean counted;

	private final Duration maxDeferral;

	private final Map<String, DeliveryResult> results = new HashMap<>();

	private final Set<String> uncounted = new HashSet<>();

	private @Nullable Throwable failure;

	private String failureText = "";

	private boolean finished;

	Trial(QueuedEvent event, EventEnvelope envelope, List<ListenerGuard> guards, Progress progress, boolean counted,
			Duration maxDeferral) {
		this.event = event;
		this.envelope = envelope;
		this.guards = guards;
		this.progress = progress;
		this.counted = counted;
		this.maxDeferral = maxDeferral;
	}

	synchronized QueuedEvent event() {
		return this.event;
	}

	EventEnvelope envelope() {
		return this.envelope;
	}

	/**
	 * Return the first failure of this attempt.
	 */
	synchronized @Nullable Throwable failure() {
		return this.failure;
	}

	/**
	 * Return who failed first in this attempt, and how.
	 */
	synchronized String failureText() {
		return this.failureText;
	}

	/**
	 * Return whether a listener is to be called in this attempt.
	 */
	synchronized boolean wants(ListenerGuard guard) {
		return this.progress.isOpen(guard.id()) && !this.results.containsKey(guard.id());
	}

	synchronized Delivery delivery(ListenerGuard guard) {
		return new Delivery(this.envelope, triedWithThis(guard));
	}

	/**
	 * Count the attempt that is being made. One listener's attempts are the event's.
	 */
	private int triedWithThis(ListenerGuard guard) {
		if (this.guards.size() > 1) {
			return this.progress.attempts(guard.id()) + 1;
		}
		return this.counted ? Math.max(1, this.event.attempts()) : this.event.attempts() + 1;
	}

	synchronized void refused(ListenerGuard guard) {
		this.uncounted.add(guard.id());
		this.results.put(guard.id(), new DeliveryResult.RetryAfter(guard.breaker().untilProbe()));
	}

	/**
	 * Note what a listener answered.
	 * @param uncounted whether a failure is not the event's fault
	 */
	synchronized void answered(ListenerGuard guard, DeliveryResult result, boolean uncounted) {
		if (uncounted) {
			this.uncounted.add(guard.id());
		}
		this.results.put(guard.id(), result);
		if (result instanceof DeliveryResult.Failed failed && this.failure == null) {
			this.failure = failed.cause();
			this.failureText = describe(guard.id(), failed.cause());
		}
	}

	/**
	 * Let this be the answer of all listeners that are still to be called, because they
	 * cannot be called now.
	 */
	synchronized void prevented(DeliveryResult result) {
		this.guards.stream().filter(this::wants).forEach((guard) -> answered(guard, result, false));
	}

	/**
	 * Return whether a listener's success would leave nothing else to be done.
	 */
	synchronized boolean isLast(ListenerGuard guard) {
		return this.guards.stream()
			.filter((other) -> other != guard)
			.allMatch((other) -> this.progress.isDone(other.id())
					|| this.results.get(other.id()) instanceof DeliveryResult.Done);
	}

	/**
	 * Return the progress that a listener's success makes.
	 */
	synchronized @Nullable String progressWith(ListenerGuard guard) {
		Progress next = Progress.read(this.progress.write(), false);
		next.done(guard.id());
		return next.write();
	}

	/**
	 * Go on under the claim that recording progress has made.
	 */
	synchronized void continueUnder(Claim claim) {
		this.event = this.event.withClaim(claim);
	}

	synchronized void finished() {
		this.finished = true;
	}

	synchronized boolean isFinished() {
		return this.finished;
	}

	/**
	 * Decide what becomes of the event. The error of a listener that was given up stays
	 * with it, whatever happens to the others.
	 */
	synchronized Settlement settlement() {
		boolean several = this.guards.size() > 1;
		boolean tried = false;
		String error = isAnyDead() ? previousError() : null;
		Duration retryIn = null;
		for (ListenerGuard guard : this.guards) {
			String id = guard.id();
			if (!this.progress.isOpen(id)) {
				continue;
			}
			DeliveryResult result = this.results.get(id);
			Duration deferral = deferral(guard, result);
			if (result instanceof DeliveryResult.Done) {
				this.progress.done(id);
			}
			else if (deferral != null) {
				retryIn = earlier(retryIn, deferral);
			}
			else if (result instanceof DeliveryResult.Failed failed) {
				tried = true;
				int attempts = triedWithThis(guard);
				if (attempts >= guard.maxAttempts() || guard.isHopeless(failed.cause())) {
					error = describe(id, failed.cause());
					this.progress.dead(id);
				}
				else {
					error = isAnyDead() ? error : describe(id, failed.cause());
					this.progress.tried(id, attempts);
					retryIn = earlier(retryIn, guard.delay(attempts));
				}
			}
		}
		int attempts = this.event.attempts() + ((tried && !this.counted) ? 1 : 0) - ((!tried && this.counted) ? 1 : 0);
		return new Settlement(this.event.claim(), outcome(tried, retryIn, error), Math.max(0, attempts),
				several ? this.progress.write() : null);
	}

	private Outcome outcome(boolean tried, @Nullable Duration retryIn, @Nullable String error) {
		if (retryIn != null) {
			return tried ? new Outcome.Retry(retryIn, String.valueOf(error)) : new Outcome.Deferred(retryIn);
		}
		return isAnyDead() ? new Outcome.Dead(String.valueOf(error)) : new Outcome.Done();
	}

	private boolean isAnyDead() {
		return this.guards.stream().anyMatch((guard) -> this.progress.isDead(guard.id()));
	}

	private String previousError() {
		String lastError = (this.event.row() != null) ? this.event.row().lastError() : null;
		return (lastError != null) ? lastError : "A listener gave up";
	}

	/**
	 * Return how long the listener asked to wait, or {@code null} if it did not.
	 */
	private @Nullable Duration deferral(ListenerGuard guard, @Nullable DeliveryResult result) {
		Duration delay = null;
		if (result instanceof DeliveryResult.RetryAfter retryAfter) {
			delay = retryAfter.delay();
		}
		else if (result instanceof DeliveryResult.Failed && this.uncounted.contains(guard.id())) {
			delay = guard.breaker().untilProbe();
		}
		else if (result == null) {
			delay = Duration.ZERO;
		}
		return (delay == null || delay.compareTo(this.maxDeferral) <= 0) ? delay : this.maxDeferral;
	}

	private static Duration earlier(@Nullable Duration one, Duration other) {
		return (one == null || other.compareTo(one) < 0) ? other : one;
	}

	/**
	 * Describe a failure: the listener first, so that dead events can be found by it.
	 */
	static String describe(String listener, Throwable failure) {
		StringBuilder text = new StringBuilder(listener).append(EventFilter.AFTER_LISTENER).append(text(failure));
		Throwable cause = failure.getCause();
		for (int depth = 0; cause != null && depth < 3; depth++) {
			text.append("; caused by ").append(text(cause));
			cause = cause.getCause();
		}
		return text.toString();
	}

	/**
	 * Exceptions of the application may fail when they are asked what they say.
	 */
	private static String text(Throwable failure) {
		try {
			return failure.toString();
		}
		catch (Throwable ex) {
			return failure.getClass().getName();
		}
	}

}
