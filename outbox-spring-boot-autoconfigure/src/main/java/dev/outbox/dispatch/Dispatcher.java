package dev.outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import dev.outbox.EventInterceptor;
import dev.outbox.listener.ListenerRegistry;
import dev.outbox.node.LeaseListener;
import dev.outbox.node.Membership;
import dev.outbox.retry.BreakerProperties;
import dev.outbox.retry.OutageClassifier;
import dev.outbox.retry.RetryPolicy;
import dev.outbox.retry.RetryProperties;
import dev.outbox.store.Claim;
import dev.outbox.store.EventClaims;
import dev.outbox.store.EventRecord;
import dev.outbox.store.EventSelection;
import dev.outbox.store.EventSettlement;
import dev.outbox.write.HandOver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.transaction.support.TransactionOperations;

/**
 * Delivers what this node has claimed. Workers take events from the hot and the cold
 * queue as long as the node's lease holds; when it may be over they wait, and when it is
 * lost all that waits is dropped, because it belongs to others.
 */
public final class Dispatcher implements LeaseListener {

	private static final Logger logger = LoggerFactory.getLogger(Dispatcher.class);

	private final String outbox;

	private final DispatchProperties properties;

	private final Membership membership;

	private final EventClaims claims;

	private final ListenerRegistry listeners;

	private final Executor executor;

	private final PollTrigger trigger;

	private final ListenerGuards guards;

	private final EventQueues queues = new EventQueues((event) -> isReady(event));

	private final InFlight inFlight = new InFlight(this.queues::finished);

	private final DispatchStatistics statistics = new DispatchStatistics();

	private final OutcomeBuffer outcomes;

	private final ListenerWatch watch;

	private final Courier courier;

	private final Verifier verifier;

	private final HotPath hotPath;

	private final Workers workers;

	private volatile boolean pollerTurnedAway;

	private volatile boolean stopping;

	/**
	 * Put a dispatcher together.
	 * @param outbox the name of the outbox
	 * @param settings how to deliver
	 * @param membership this node
	 * @param claims who may deliver which event
	 * @param settlement what records outcomes
	 * @param listeners the listeners
	 * @param interceptors the interceptors, in their order
	 * @param transactions the application's transactions, for transactional listeners
	 * @param executor runs the workers, one task each
	 * @param trigger tells the poller when to look
	 */
	public Dispatcher(String outbox, Settings settings, Membership membership, EventClaims claims,
			EventSettlement settlement, ListenerRegistry listeners, List<EventInterceptor> interceptors,
			TransactionOperations transactions, Executor executor, PollTrigger trigger) {
		this.outbox = outbox;
		this.properties = settings.dispatch();
		this.membership = membership;
		this.claims = claims;
		this.listeners = listeners;
		this.executor = executor;
		this.trigger = trigger;
		this.guards = new ListenerGuards(outbox, listeners, settings.retry(), settings.policy(), settings.breaker(),
				settings.classifier(), trigger::pull);
		this.outcomes = new OutcomeBuffer(outbox, settlement, settings.completion(), this.inFlight, this.statistics,
				trigger::pullIn);
		this.watch = new ListenerWatch(outbox, this.properties, this::giveBackStuck);
		ListenerCalls calls = new ListenerCalls(outbox, this.watch,
				new TransactionalDelivery(transactions, settlement, this.inFlight), membership::isLive,
				this.properties.listenerTimeout(), this.queues::becameReady, trigger::pull);
		this.courier = new Courier(outbox, this.guards, new Interceptors(outbox, interceptors), claims, this.outcomes,
				calls, this.inFlight, this.statistics, this.properties, settings.retry().maxDeferral());
		this.workers = new Workers(outbox, membership, this.queues, this.courier, this.outcomes, this::started,
				this::dropped);
		this.verifier = new Verifier(outbox, membership, claims, this.queues, this::averted, this::dropped);
		this.hotPath = new HotPath(membership, this.guards, this.inFlight, this.verifier, trigger, this.statistics,
				this.properties);
		membership.addListener(this);
	}

	/**
	 * Begin to deliver.
	 */
	public void start() {
		this.outcomes.start();
		this.verifier.start();
		this.watch.start();
		this.workers.start(this.executor, this.properties.workers());
		this.hotPath.open();
	}

	/**
	 * Return what the writer hands events over to.
	 * @return the hand-over
	 */
	public HandOver handOver() {
		return this.hotPath;
	}

	/**
	 * Return whether this node knows that it holds a claim.
	 * @param claim the claim
	 * @return whether it is known
	 */
	public boolean knows(Claim claim) {
		return this.inFlight.contains(claim);
	}

	/**
	 * Give up a claim that has not become known. Should the transaction that wrote the
	 * event still hand it over, it finds its place gone.
	 * @param claim the claim
	 * @return whether nobody here will act under the claim any more
	 */
	public boolean disown(Claim claim) {
		return this.hotPath.disown(claim) || !this.inFlight.contains(claim);
	}

	/**
	 * Return how many claims this node knows that it holds.
	 * @return the number
	 */
	public int inFlight() {
		return this.inFlight.size();
	}

	/**
	 * Return what has happened so far.
	 * @return the statistics
	 */
	public DispatchStatistics statistics() {
		return this.statistics;
	}

	/**
	 * Return how many more events of the poller can wait here. As long as more than half
	 * of the places are taken there is no hurry: the poller is called back when they are
	 * free.
	 * @return the number
	 */
	public int room() {
		this.pollerTurnedAway = true;
		int waiting = this.queues.coldSize();
		if (this.stopping || waiting > this.properties.coldQueue() / 2) {
			return 0;
		}
		this.pollerTurnedAway = false;
		return this.properties.coldQueue() - waiting;
	}

	/**
	 * Return which kinds of events can be dealt with now: those whose listeners are
	 * ready, and those without a listener if they are to be given up at once.
	 * @return the selection
	 */
	public EventSelection claimable() {
		return givesUpUnroutableAtOnce() ? this.guards.allButWaiting() : this.guards.ready();
	}

	private boolean givesUpUnroutableAtOnce() {
		return this.properties.unroutableAfter().isZero();
	}

	/**
	 * Return which kinds of events are needed to see whether their listeners work again,
	 * one of each.
	 * @return the selections
	 */
	public List<EventSelection> probes() {
		return this.guards.probes();
	}

	/**
	 * Return which kinds of events nobody listens to here.
	 * @return the selection
	 */
	public EventSelection withoutListener() {
		return this.guards.unroutable();
	}

	/**
	 * Return which kinds of events nobody listens to here and that have waited long
	 * enough for a node that does. A node without any listener cannot judge that.
	 * @return the selection
	 */
	public EventSelection unroutable() {
		return (givesUpUnroutableAtOnce() || this.listeners.endpoints().isEmpty()) ? EventSelection.none()
				: this.guards.unroutable().overdueBy(this.properties.unroutableAfter());
	}

	/**
	 * Take over events that the poller has claimed for this node.
	 * @param rows the events
	 */
	public void offer(List<EventRecord> rows) {
		List<QueuedEvent> events = rows.stream().map((row) -> QueuedEvent.of(row)).toList();
		events.forEach((event) -> this.inFlight.add(event.claim()));
		this.statistics.coldEnqueued.add(events.size());
		if (!this.queues.add(events)) {
			release(events);
		}
	}

	/**
	 * Give events up that nobody listens to.
	 * @param rows the events, claimed for this node
	 */
	public void giveUpUnroutable(List<EventRecord> rows) {
		for (EventRecord row : rows) {
			this.inFlight.add(row.claim());
			this.courier.giveUp(QueuedEvent.of(row), "No node has taken it for " + this.properties.unroutableAfter()
					+ " and there is no listener for event type " + row.eventType() + " here", null);
		}
	}

	@Override
	public void lost(long nodeId) {
		List<QueuedEvent> gone = new ArrayList<>(this.queues.remove((event) -> event.claim().owner() == nodeId));
		gone.addAll(this.verifier.remove((event) -> event.claim().owner() == nodeId));
		gone.forEach(this::left);
		this.inFlight.removeAll(claims(gone));
		this.outcomes.lost(nodeId);
		callPollerBack();
	}

	@Override
	public void renewed() {
		this.queues.signal();
	}

	/**
	 * Stop: take no more events, give back what has not been started, let listeners
	 * finish, and record their outcomes.
	 * @param timeout how long listeners may take before they are interrupted
	 * @return whether nothing is left that is still running or unrecorded
	 */
	public boolean stop(Duration timeout) {
		this.stopping = true;
		this.workers.stop();
		this.hotPath.close();
		this.outcomes.stopWaiting();
		long deadline = System.nanoTime() + timeout.toNanos();
		List<QueuedEvent> unstarted = new ArrayList<>(this.verifier.close(Duration.ofSeconds(1)));
		unstarted.addAll(this.queues.close());
		unstarted.forEach(this::left);
		boolean released = release(unstarted);
		boolean finished = this.workers.awaitIdle(deadline);
		if (!finished) {
			logger.warn("{}: {} listeners have not finished in time and are interrupted", this.outbox,
					this.courier.running());
			this.watch.interruptAll();
			finished = this.workers.awaitIdle(System.nanoTime() + TimeUnit.SECONDS.toNanos(2));
		}
		boolean recorded = this.outcomes.stop(Duration.ofSeconds(5));
		this.watch.stop();
		return released && finished && recorded;
	}

	/**
	 * Give back what waits for listeners that are stuck, so that it keeps nobody out. It
	 * is claimed again when they are not.
	 */
	private void giveBackStuck() {
		List<QueuedEvent> waiting = this.queues.remove(this.courier::isStuck);
		if (!waiting.isEmpty()) {
			logger.warn("{}: {} events are given back, because their listeners have as many calls under way as they "
					+ "may have and none of these has ended for a while", this.outbox, waiting.size());
			waiting.forEach(this::left);
			release(waiting);
		}
	}

	private boolean release(List<QueuedEvent> events) {
		try {
			if (!events.isEmpty()) {
				this.claims.release(claims(events));
			}
			return true;
		}
		catch (RuntimeException ex) {
			logger.warn("{}: {} events could not be given back, others take them over when the lease ends: {}",
					this.outbox, events.size(), ex.toString());
			return false;
		}
		finally {
			this.inFlight.removeAll(claims(events));
		}
	}

	private boolean isReady(QueuedEvent event) {
		return this.courier.isReady(event);
	}

	private void started(QueuedEvent event) {
		left(event);
		callPollerBack();
	}

	private void callPollerBack() {
		if (this.pollerTurnedAway && this.queues.coldSize() <= this.properties.coldQueue() / 2) {
			this.pollerTurnedAway = false;
			this.trigger.pull();
		}
	}

	private void left(QueuedEvent event) {
		if (event.hot()) {
			this.hotPath.left(event);
		}
	}

	private void dropped(QueuedEvent event) {
		left(event);
		this.inFlight.remove(event.claim());
	}

	private void averted(QueuedEvent event) {
		dropped(event);
		this.statistics.phantomsAverted.increment();
		logger.debug("{}: event {} was handed over but is not in the table", this.outbox, event.claim().eventId());
	}

	private static List<Claim> claims(List<QueuedEvent> events) {
		return events.stream().map(QueuedEvent::claim).toList();
	}

	/**
	 * How to deliver.
	 *
	 * @param dispatch queues and workers
	 * @param completion how outcomes are recorded
	 * @param retry how often to try
	 * @param policy how long to wait between attempts
	 * @param breaker when to stop trying
	 * @param classifier which failures the breakers count
	 */
	public record Settings(DispatchProperties dispatch, CompletionProperties completion, RetryProperties retry,
			RetryPolicy policy, BreakerProperties breaker, OutageClassifier classifier) {

	}

}
