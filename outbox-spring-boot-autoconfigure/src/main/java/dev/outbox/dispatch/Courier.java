package dev.outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongPredicate;

import dev.outbox.EventEnvelope;
import dev.outbox.RetryAfterException;
import dev.outbox.listener.Delivery;
import dev.outbox.listener.DeliveryResult;
import dev.outbox.retry.Breaker.Permit;
import dev.outbox.retry.Causes;
import dev.outbox.store.EventClaims;
import dev.outbox.store.EventFilter;
import dev.outbox.store.Outcome;
import dev.outbox.store.Settlement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes attempts.
 * <ol>
 * <li>Count the attempt beforehand if the event was taken back from dead nodes twice: it
 * may be what killed them. One that has used up its attempts this way is given up.
 * <li>Decode the event and find its listeners. What cannot be decoded is given up.
 * <li>Call the interceptors, then each listener that has not had the event, if its
 * breaker lets it and the node's lease still holds. A listener that answers later keeps
 * no worker.
 * <li>When all have answered, decide what becomes of the event and have it recorded.
 * </ol>
 */
final class Courier {

	private static final Logger logger = LoggerFactory.getLogger(Courier.class);

	private static final Duration AFTER_FALSE_START = Duration.ofSeconds(1);

	private final String outbox;

	private final ListenerGuards guards;

	private final Interceptors interceptors;

	private final EventClaims claims;

	private final OutcomeBuffer outcomes;

	private final ListenerWatch watch;

	private final TransactionalDelivery transactional;

	private final LongPredicate live;

	private final InFlight inFlight;

	private final DispatchStatistics statistics;

	private final DispatchProperties properties;

	private final Duration maxDeferral;

	private final Runnable placeFreed;

	private final AtomicInteger running = new AtomicInteger();

	Courier(String outbox, ListenerGuards guards, Interceptors interceptors, EventClaims claims, OutcomeBuffer outcomes,
			ListenerWatch watch, TransactionalDelivery transactional, LongPredicate live, InFlight inFlight,
			DispatchStatistics statistics, DispatchProperties properties, Duration maxDeferral, Runnable placeFreed) {
		this.outbox = outbox;
		this.guards = guards;
		this.interceptors = interceptors;
		this.claims = claims;
		this.outcomes = outcomes;
		this.watch = watch;
		this.transactional = transactional;
		this.live = live;
		this.inFlight = inFlight;
		this.statistics = statistics;
		this.properties = properties;
		this.maxDeferral = maxDeferral;
		this.placeFreed = placeFreed;
	}

	/**
	 * Return how many events have been started and not been finished.
	 */
	int running() {
		return this.running.get();
	}

	/**
	 * Return the listener that takes an event together with others, if there is one.
	 */
	@Nullable ListenerGuard batchGuard(QueuedEvent event) {
		List<ListenerGuard> found = this.guards.forEvent(event.aggregateType(), event.eventType());
		return (found.size() == 1 && found.get(0).endpoint().isBatch()) ? found.get(0) : null;
	}

	/**
	 * Return whether the listeners of an event may be called now.
	 */
	boolean isReady(QueuedEvent event) {
		for (ListenerGuard guard : this.guards.forEvent(event.aggregateType(), event.eventType())) {
			if (!guard.isReady()) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Attempt to deliver events that have the same listeners.
	 */
	void deliver(List<QueuedEvent> events) {
		this.running.addAndGet(events.size());
		List<Trial> trials = new ArrayList<>(events.size());
		for (QueuedEvent event : events) {
			Trial trial = beginOrPutOff(event);
			if (trial != null) {
				trials.add(trial);
			}
			else {
				this.running.decrementAndGet();
			}
		}
		if (!trials.isEmpty()) {
			attempt(trials);
		}
	}

	/**
	 * Begin, or let the event come back if that fails for a reason that is not its own.
	 */
	private @Nullable Trial beginOrPutOff(QueuedEvent event) {
		try {
			return begin(event);
		}
		catch (Throwable ex) {
			logger.warn("{}: event {} of type {} cannot be delivered now and is put off: {}", this.outbox,
					event.claim().eventId(), event.eventType(), ex.toString());
			settle(new Settlement(event.claim(), new Outcome.Deferred(AFTER_FALSE_START), event.attempts(),
					event.progress()));
			return null;
		}
	}

	private @Nullable Trial begin(QueuedEvent event) {
		List<ListenerGuard> found = this.guards.forEvent(event.aggregateType(), event.eventType());
		if (found.isEmpty()) {
			noListener(event);
			return null;
		}
		EventEnvelope envelope;
		Progress progress;
		try {
			envelope = event.decode();
			progress = Progress.read(event.progress(), event.attempts() == 0);
		}
		catch (RuntimeException ex) {
			giveUp(event, Trial.describe(found.get(0).id(), ex), ex);
			return null;
		}
		boolean suspect = event.isSuspect();
		QueuedEvent tried = suspect ? countAttempt(event, found) : event;
		return (tried != null) ? new Trial(tried, envelope, found, progress, suspect, this.maxDeferral) : null;
	}

	/**
	 * Count an attempt that may kill this node. What has no attempts left killed its last
	 * one.
	 */
	private @Nullable QueuedEvent countAttempt(QueuedEvent event, List<ListenerGuard> found) {
		int maxAttempts = found.stream().mapToInt(ListenerGuard::maxAttempts).max().orElse(1);
		if (event.attempts() >= maxAttempts) {
			giveUp(event, found.get(0).id() + EventFilter.AFTER_LISTENER + "no outcome of " + event.attempts()
					+ " attempts was recorded: each time the node died meanwhile", null);
			return null;
		}
		if (this.claims.countAttempt(List.of(event.claim())) == 0) {
			this.statistics.fenced.increment();
			this.inFlight.remove(event.claim());
			return null;
		}
		return event.withAttempts(event.attempts() + 1);
	}

	private void noListener(QueuedEvent event) {
		if (this.properties.unroutableAfter().isZero()) {
			giveUp(event, "There is no listener for event type " + event.eventType(), null);
		}
		else {
			settle(new Settlement(event.claim(), new Outcome.Deferred(Duration.ZERO), event.attempts(),
					event.progress()));
		}
	}

	void giveUp(QueuedEvent event, String error, @Nullable Throwable failure) {
		this.statistics.dead.increment();
		logger.error("{}: event {} of type {} is given up: {}", this.outbox, event.claim().eventId(), event.eventType(),
				error, failure);
		settle(new Settlement(event.claim(), new Outcome.Dead(error), event.attempts(), event.progress()));
	}

	private void attempt(List<Trial> trials) {
		for (Trial trial : trials) {
			Throwable refusal = this.interceptors.before(trial.envelope());
			if (refusal != null) {
				trial.prevented(withDeferral(new DeliveryResult.Failed(refusal)));
			}
		}
		List<CompletableFuture<?>> answers = new ArrayList<>();
		for (ListenerGuard guard : this.guards.forEvent(trials.get(0).event().aggregateType(),
				trials.get(0).event().eventType())) {
			CompletableFuture<?> answer = call(guard, trials.stream().filter((trial) -> trial.wants(guard)).toList());
			if (answer != null && !answer.isDone()) {
				answers.add(answer);
			}
		}
		if (answers.isEmpty()) {
			trials.forEach(this::finish);
		}
		else {
			CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
				.whenComplete((nothing, failure) -> trials.forEach(this::finish));
		}
	}

	/**
	 * Call a listener. It may take long until there is a place for its call, and other
	 * listeners may have taken long before, so the lease is looked at last.
	 */
	private @Nullable CompletableFuture<?> call(ListenerGuard guard, List<Trial> trials) {
		if (trials.isEmpty()) {
			return null;
		}
		guard.places().acquireUninterruptibly();
		if (!this.live.test(trials.get(0).event().claim().owner())) {
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
		CompletionStage<List<DeliveryResult>> stage = invoke(guard, called, deliveries);
		return stage.whenComplete((results, failure) -> {
			leave(guard);
			answered(guard, called, results, failure, permit == Permit.PROBE);
		}).exceptionally((failure) -> List.of()).toCompletableFuture();
	}

	private void leave(ListenerGuard guard) {
		guard.places().release();
		this.placeFreed.run();
	}

	/**
	 * Call a listener on this thread. Whatever it does to the thread's interrupt flag is
	 * undone, so that the outcome can be recorded.
	 */
	private CompletionStage<List<DeliveryResult>> invoke(ListenerGuard guard, List<Trial> called,
			List<Delivery> deliveries) {
		ListenerWatch.Call call = this.watch.begin(guard.id(), deliveries.get(0).envelope().eventId());
		CompletionStage<List<DeliveryResult>> stage;
		boolean late;
		try {
			stage = guard.endpoint().settings().transactional() ? this.transactional.call(guard, called, deliveries)
					: guard.endpoint().call(deliveries);
		}
		catch (Throwable ex) {
			stage = CompletableFuture.failedFuture(ex);
		}
		finally {
			late = this.watch.end(call);
			Thread.interrupted();
		}
		Duration timeout = this.properties.listenerTimeout();
		return (timeout != null) ? inTime(stage, timeout, late) : stage;
	}

	/**
	 * Let a call fail that took too long: one that was interrupted for it, or one that
	 * has not answered in as much time again after it returned.
	 */
	private static CompletionStage<List<DeliveryResult>> inTime(CompletionStage<List<DeliveryResult>> stage,
			Duration timeout, boolean late) {
		ListenerTimeoutException timedOut = new ListenerTimeoutException(timeout);
		return stage
			.thenApply((results) -> late ? results.stream()
				.map((result) -> (result instanceof DeliveryResult.Failed) ? new DeliveryResult.Failed(timedOut)
						: result)
				.toList() : results)
			.toCompletableFuture()
			.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS)
			.exceptionallyCompose((failure) -> CompletableFuture
				.failedFuture((failure instanceof TimeoutException) ? timedOut : failure));
	}

	private static void answered(ListenerGuard guard, List<Trial> called, @Nullable List<DeliveryResult> results,
			@Nullable Throwable failure, boolean probe) {
		for (int i = 0; i < called.size(); i++) {
			Trial trial = called.get(i);
			DeliveryResult result = withDeferral(
					(results != null && i < results.size()) ? results.get(i) : new DeliveryResult.Failed(
							(failure != null) ? failure : new IllegalStateException("The listener gave no answer")));
			boolean outage = false;
			if (result instanceof DeliveryResult.Failed failed) {
				outage = guard.failed(trial.envelope().eventId(), failed.cause());
			}
			else {
				guard.succeeded();
			}
			trial.answered(guard, result, probe && outage);
		}
	}

	/**
	 * A failure that was caused by a wish to be called again later is that wish.
	 */
	private static DeliveryResult withDeferral(DeliveryResult result) {
		if (result instanceof DeliveryResult.Failed failed) {
			Optional<RetryAfterException> wish = Causes.find(failed.cause(), RetryAfterException.class);
			return wish.isPresent() ? new DeliveryResult.RetryAfter(wish.get().delay()) : result;
		}
		return result;
	}

	private void finish(Trial trial) {
		try {
			this.interceptors.after(trial.envelope(), trial.failure());
			if (trial.isFinished()) {
				this.statistics.delivered.increment();
				this.inFlight.remove(trial.event().claim());
				return;
			}
			Settlement settlement = trial.settlement();
			try {
				report(trial, settlement);
			}
			finally {
				settle(settlement);
			}
		}
		finally {
			this.running.decrementAndGet();
		}
	}

	private void report(Trial trial, Settlement settlement) {
		EventEnvelope event = trial.envelope();
		if (settlement.outcome() instanceof Outcome.Done) {
			this.statistics.delivered.increment();
		}
		else if (settlement.outcome() instanceof Outcome.Retry retry) {
			this.statistics.failed.increment();
			logger.warn("{}: attempt {} of event {} of type {} failed and is repeated in {} ms: {}", this.outbox,
					settlement.attempts(), event.eventId(), event.eventType(), retry.delay().toMillis(),
					trial.failureText());
		}
		else if (settlement.outcome() instanceof Outcome.Dead dead) {
			this.statistics.dead.increment();
			logger.error("{}: event {} of type {} is given up after {} attempts: {}", this.outbox, event.eventId(),
					event.eventType(), settlement.attempts(), dead.error(), trial.failure());
		}
	}

	private void settle(Settlement settlement) {
		this.outcomes.add(settlement);
	}

}
