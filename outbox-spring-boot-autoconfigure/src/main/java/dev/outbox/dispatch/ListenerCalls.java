package dev.outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongPredicate;

import dev.outbox.RetryAfterException;
import dev.outbox.dispatch.ListenerWatch.Interruption;
import dev.outbox.listener.Delivery;
import dev.outbox.listener.DeliveryResult;
import dev.outbox.retry.Breaker.Permit;
import dev.outbox.retry.Causes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls listeners. A call takes a place, which it has until it is answered; it is made
 * only if the node's lease still holds and the listener's breaker lets it, and whatever
 * goes wrong in it becomes an answer.
 */
final class ListenerCalls {

	private static final Logger logger = LoggerFactory.getLogger(ListenerCalls.class);

	private final String outbox;

	private final ListenerWatch watch;

	private final TransactionalDelivery transactional;

	private final LongPredicate live;

	private final @Nullable Duration timeout;

	private final Runnable placeFreed;

	private final Runnable unstuck;

	ListenerCalls(String outbox, ListenerWatch watch, TransactionalDelivery transactional, LongPredicate live,
			@Nullable Duration timeout, Runnable placeFreed, Runnable unstuck) {
		this.outbox = outbox;
		this.watch = watch;
		this.transactional = transactional;
		this.live = live;
		this.timeout = timeout;
		this.placeFreed = placeFreed;
		this.unstuck = unstuck;
	}

	/**
	 * Take a place for a call of each of some listeners.
	 * @return whether each had one
	 */
	boolean enter(List<ListenerGuard> guards) {
		for (int i = 0; i < guards.size(); i++) {
			if (!guards.get(i).places().tryEnter()) {
				leave(guards.subList(0, i));
				return false;
			}
		}
		return true;
	}

	void leave(List<ListenerGuard> guards) {
		guards.forEach(this::leave);
	}

	private void leave(ListenerGuard guard) {
		boolean stuck = guard.places().areStuck();
		guard.places().leave();
		this.placeFreed.run();
		if (stuck) {
			this.unstuck.run();
		}
	}

	/**
	 * Call a listener that has a place, or give the place back.
	 * @return completes when the call has been answered, or {@code null} if there was
	 * none
	 */
	@Nullable CompletableFuture<?> call(ListenerGuard guard, List<Trial> trials) {
		if (trials.isEmpty() || !this.live.test(trials.get(0).event().claim().owner())) {
			leave(guard);
			return null;
		}
		Permit permit = guard.breaker().tryAcquire();
		List<Trial> called = switch (permit) {
			case NORMAL -> trials;
			case PROBE -> trials.subList(0, 1);
			case REFUSED -> List.of();
		};
		trials.subList(called.size(), trials.size()).forEach((trial) -> trial.refused(guard));
		if (called.isEmpty()) {
			leave(guard);
			return null;
		}
		List<Delivery> deliveries = called.stream().map((trial) -> trial.delivery(guard)).toList();
		Invocation invocation = invoke(guard, called, deliveries);
		return invocation.stage().handle((results, failure) -> {
			leave(guard);
			answer(guard, called, invocation.judge(results, failure, called.size()), permit == Permit.PROBE);
			return true;
		}).toCompletableFuture();
	}

	/**
	 * Call a listener on this thread. Whatever it does to the thread's interrupt flag is
	 * undone, so that the outcome can be recorded.
	 */
	private Invocation invoke(ListenerGuard guard, List<Trial> called, List<Delivery> deliveries) {
		ListenerWatch.Call call = this.watch.begin(guard.id(), deliveries.get(0).envelope().eventId());
		CompletionStage<List<DeliveryResult>> stage;
		Interruption interruption;
		try {
			stage = guard.endpoint().settings().transactional() ? this.transactional.call(guard, called, deliveries)
					: guard.endpoint().call(deliveries);
		}
		catch (Throwable ex) {
			stage = CompletableFuture.failedFuture(ex);
		}
		finally {
			interruption = this.watch.end(call);
			Thread.interrupted();
		}
		return new Invocation((this.timeout != null) ? inTime(stage, this.timeout) : stage, interruption, this.timeout);
	}

	/**
	 * Let a call fail that has not answered in as much time again after it returned. What
	 * follows does not run on the thread that watches the time, which all of the JVM
	 * shares.
	 */
	private static CompletionStage<List<DeliveryResult>> inTime(CompletionStage<List<DeliveryResult>> stage,
			Duration timeout) {
		return stage.thenApply((results) -> results)
			.toCompletableFuture()
			.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
			.exceptionallyComposeAsync((failure) -> CompletableFuture
				.failedFuture((failure instanceof TimeoutException) ? new ListenerTimeoutException(timeout) : failure));
	}

	private void answer(ListenerGuard guard, List<Trial> called, List<DeliveryResult> results, boolean probe) {
		try {
			Set<String> outages = report(guard, called, results);
			for (int i = 0; i < called.size(); i++) {
				Trial trial = called.get(i);
				trial.answered(guard, results.get(i), probe && outages.contains(trial.envelope().eventId()));
			}
		}
		catch (Throwable ex) {
			logger.error("{}: the answer of listener {} could not be dealt with, so it counts as failed", this.outbox,
					guard.id(), ex);
			called.forEach((trial) -> trial.answered(guard, new DeliveryResult.Failed(ex), false));
		}
	}

	/**
	 * Tell the breaker how a call went: it was one call, however many events it was for.
	 * @return the events that may have failed because of an outage
	 */
	private static Set<String> report(ListenerGuard guard, List<Trial> called, List<DeliveryResult> results) {
		Set<String> outages = new HashSet<>();
		boolean handled = false;
		for (int i = 0; i < called.size(); i++) {
			if (!(results.get(i) instanceof DeliveryResult.Failed failed)) {
				handled = true;
			}
			else if (guard.mayBeOutage(failed.cause())) {
				outages.add(called.get(i).envelope().eventId());
			}
		}
		if (handled) {
			guard.breaker().succeeded();
		}
		else if (!outages.isEmpty()) {
			guard.breaker().failed(outages);
		}
		else {
			// The events' own fault says nothing about what the listener depends on.
			guard.breaker().abandoned();
		}
		return outages;
	}

	/**
	 * A failure that was caused by a wish to be called again later is that wish.
	 */
	static DeliveryResult withDeferral(DeliveryResult result) {
		if (result instanceof DeliveryResult.Failed failed) {
			return Causes.find(failed.cause(), RetryAfterException.class)
				.<DeliveryResult>map((wish) -> new DeliveryResult.RetryAfter(wish.delay()))
				.orElse(result);
		}
		return result;
	}

	/**
	 * A call that was made.
	 *
	 * @param stage completes with its results
	 * @param interruption whether and why it was interrupted
	 * @param timeout the time it had
	 */
	private record Invocation(CompletionStage<List<DeliveryResult>> stage, Interruption interruption,
			@Nullable Duration timeout) {

		List<DeliveryResult> judge(@Nullable List<DeliveryResult> results, @Nullable Throwable failure, int count) {
			List<DeliveryResult> judged = new ArrayList<>(count);
			for (int i = 0; i < count; i++) {
				DeliveryResult result = (results != null && i < results.size()) ? results.get(i)
						: new DeliveryResult.Failed(
								(failure != null) ? failure : new IllegalStateException("The listener gave no answer"));
				judged.add(judge(result));
			}
			return judged;
		}

		private DeliveryResult judge(DeliveryResult result) {
			if (!(result instanceof DeliveryResult.Failed)) {
				return result;
			}
			return switch (this.interruption) {
				case NONE -> withDeferral(result);
				case STOP -> new DeliveryResult.RetryAfter(Duration.ZERO);
				case TIMEOUT -> (this.timeout != null)
						? new DeliveryResult.Failed(new ListenerTimeoutException(this.timeout)) : result;
			};
		}

	}

}
