package dev.outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.outbox.InvalidEventException;
import dev.outbox.listener.ListenerEndpoint;
import dev.outbox.retry.Breaker;
import dev.outbox.retry.Causes;
import dev.outbox.retry.OutageClassifier;
import dev.outbox.retry.RetryPolicy;
import dev.outbox.serialize.EventSerializationException;

/**
 * What stands between the dispatcher and one listener: its retry rules, its breaker, and
 * how many of its calls may be under way.
 *
 * @param endpoint the listener
 * @param maxAttempts how many attempts it gets
 * @param policy how long to wait between them
 * @param breaker its breaker
 * @param classifier which failures the breaker counts
 * @param places how many calls may begin
 * @param gathering whether a worker is waiting for more events to pass to it together
 */
record ListenerGuard(ListenerEndpoint endpoint, int maxAttempts, RetryPolicy policy, Breaker breaker,
		OutageClassifier classifier, Places places, AtomicBoolean gathering) {

	private static final List<Class<? extends Throwable>> UNREADABLE = List.of(EventSerializationException.class,
			InvalidEventException.class);

	String id() {
		return this.endpoint.id();
	}

	/**
	 * Return whether a worker may take an event for the listener now.
	 */
	boolean isReady() {
		return !this.places.areTaken() && !this.gathering.get();
	}

	/**
	 * Return whether it may be waited for more events to pass to it together.
	 */
	boolean isPatient() {
		return this.endpoint.isBatch() && !this.endpoint.settings().batchWait().isZero();
	}

	boolean isHopeless(Throwable failure) {
		return isUnreadable(failure) || Causes.contain(failure, this.endpoint.settings().noRetryFor());
	}

	private static boolean isUnreadable(Throwable failure) {
		return UNREADABLE.stream().anyMatch((type) -> type.isInstance(failure));
	}

	Duration delay(int attempts) {
		return this.policy.delay(attempts);
	}

	/**
	 * Return whether a failure may come from what the listener depends on, and not from
	 * the event.
	 */
	boolean mayBeOutage(Throwable failure) {
		return !isHopeless(failure) && this.classifier.mayBeOutage(failure);
	}

	/**
	 * Return whether events of the listener may be claimed.
	 */
	boolean isOpenForMore() {
		return this.breaker.isClosed() && !this.places.areStuck();
	}

}
