package dev.outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.EventEnvelope;
import dev.outbox.listener.DeliveryResult;
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

	private final ListenerCalls calls;

	private final InFlight inFlight;

	private final DispatchStatistics statistics;

	private final DispatchProperties properties;

	private final Duration maxDeferral;

	private final AtomicInteger running = new AtomicInteger();

	Courier(String outbox, ListenerGuards guards, Interceptors interceptors, EventClaims claims, OutcomeBuffer outcomes,
			ListenerCalls calls, InFlight inFlight, DispatchStatistics statistics, DispatchProperties properties,
			Duration maxDeferral) {
		this.outbox = outbox;
		this.guards = guards;
		this.interceptors = interceptors;
		this.claims = claims;
		this.outcomes = outcomes;
		this.calls = calls;
		this.inFlight = inFlight;
		this.statistics = statistics;
		this.properties = properties;
		this.maxDeferral = maxDeferral;
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
		List<ListenerGuard> found = guards(event);
		return (found.size() == 1 && found.get(0).endpoint().isBatch()) ? found.get(0) : null;
	}

	/**
	 * Return whether it looks as if the listeners of an event could be called now.
	 */
	boolean isReady(QueuedEvent event) {
		return guards(event).stream().allMatch(ListenerGuard::isReady);
	}

	/**
	 * Return whether the event would wait for a listener that is stuck.
	 */
	boolean isStuck(QueuedEvent event) {
		return guards(event).stream().anyMatch((guard) -> guard.places().areStuck());
	}

	/**
	 * Take places for the calls of an event's listeners.
	 * @return the listeners, or {@code null} if one of them has no place
	 */
	@Nullable List<ListenerGuard> enter(QueuedEvent event) {
		List<ListenerGuard> found = guards(event);
		return this.calls.enter(found) ? found : null;
	}

	private List<ListenerGuard> guards(QueuedEvent event) {
		return this.guards.forEvent(event.aggregateType(), event.eventType());
	}

	/**
	 * Attempt to deliver events to their listeners, which have places for the calls.
	 */
	void deliver(List<QueuedEvent> events, List<ListenerGuard> found) {
		this.running.addAndGet(events.size());
		List<Trial> trials = new ArrayList<>(events.size());
		for (QueuedEvent event : events) {
			Trial trial = beginOrPutOff(event, found);
			if (trial != null) {
				trials.add(trial);
			}
			else {
				this.running.decrementAndGet();
			}
		}
		if (trials.isEmpty()) {
			this.calls.leave(found);
		}
		else {
			attempt(trials, found);
		}
	}

	/**
	 * Begin, or let the event come back if that fails for a reason that is not its own.
	 */
	private @Nullable Trial beginOrPutOff(QueuedEvent event, List<ListenerGuard> found) {
		try {
			return begin(event, found);
		}
		catch (Throwable ex) {
			logger.warn("{}: event {} of type {} cannot be delivered now and is put off: {}", this.outbox,
					event.claim().eventId(), event.eventType(), ex.toString());
			settle(new Settlement(event.claim(), new Outcome.Deferred(AFTER_FALSE_START), event.attempts(),
					event.progress()));
			return null;
		}
	}

	private @Nullable Trial begin(QueuedEvent event, List<ListenerGuard> found) {
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

	private void attempt(List<Trial> trials, List<ListenerGuard> found) {
		List<CompletableFuture<?>> answers = new ArrayList<>();
		int entered = 0;
		try {
			trials.forEach(this::before);
			while (entered < found.size()) {
				ListenerGuard guard = found.get(entered++);
				CompletableFuture<?> answer = this.calls.call(guard,
						trials.stream().filter((trial) -> trial.wants(guard)).toList());
				if (answer != null && !answer.isDone()) {
					answers.add(answer);
				}
			}
		}
		catch (Throwable ex) {
			logger.error("{}: an attempt broke off, so it counts as failed", this.outbox, ex);
			trials.forEach((trial) -> trial.prevented(new DeliveryResult.Failed(ex)));
		}
		finally {
			this.calls.leave(found.subList(entered, found.size()));
		}
		if (answers.isEmpty()) {
			trials.forEach(this::finish);
		}
		else {
			CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
				.whenComplete((nothing, failure) -> trials.forEach(this::finish));
		}
	}

	private void before(Trial trial) {
		Throwable refusal = this.interceptors.before(trial.envelope());
		if (refusal != null) {
			trial.prevented(ListenerCalls.withDeferral(new DeliveryResult.Failed(refusal)));
		}
	}

	/**
	 * Have the outcome of an attempt recorded. If it cannot even be made out, the event
	 * is forgotten, so that the next sweeps give it back.
	 */
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
		catch (Throwable ex) {
			logger.error("{}: the attempt to deliver event {} has no outcome, so it is delivered again", this.outbox,
					trial.event().claim().eventId(), ex);
			this.inFlight.remove(trial.event().claim());
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
