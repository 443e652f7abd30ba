package dev.outbox.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import dev.outbox.node.Membership;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that deliver. Each takes what comes next, or several events of one kind for
 * a listener that wants them together, and hands it to the courier as long as the node's
 * lease holds. What meets an error between queue and courier is forgotten, so that the
 * next sweeps give it back.
 */
final class Workers {

	private static final Logger logger = LoggerFactory.getLogger(Workers.class);

	private static final long LEASE_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	private final String outbox;

	private final Membership membership;

	private final EventQueues queues;

	private final Courier courier;

	private final OutcomeBuffer outcomes;

	private final Consumer<QueuedEvent> started;

	private final Consumer<QueuedEvent> dropped;

	private final AtomicInteger active = new AtomicInteger();

	private volatile boolean stopping;

	Workers(String outbox, Membership membership, EventQueues queues, Courier courier, OutcomeBuffer outcomes,
			Consumer<QueuedEvent> started, Consumer<QueuedEvent> dropped) {
		this.outbox = outbox;
		this.membership = membership;
		this.queues = queues;
		this.courier = courier;
		this.outcomes = outcomes;
		this.started = started;
		this.dropped = dropped;
	}

	void start(Executor executor, int count) {
		for (int i = 0; i < count; i++) {
			this.active.incrementAndGet();
			try {
				executor.execute(this::work);
			}
			catch (RuntimeException | Error ex) {
				this.active.decrementAndGet();
				throw ex;
			}
		}
	}

	/**
	 * Take nothing more once the queues are closed.
	 */
	void stop() {
		this.stopping = true;
	}

	/**
	 * Wait until all that was begun has ended.
	 * @return whether it has
	 */
	boolean awaitIdle(long deadline) {
		while (this.courier.running() > 0 || this.active.get() > 0) {
			if (System.nanoTime() - deadline > 0) {
				return false;
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
		}
		return true;
	}

	private void work() {
		try {
			while (!this.stopping) {
				try {
					workOnce();
				}
				catch (InterruptedException ex) {
					logger.debug("{}: a worker was interrupted", this.outbox);
				}
				catch (Throwable ex) {
					logger.error("{}: a worker failed and goes on", this.outbox, ex);
				}
			}
		}
		finally {
			this.active.decrementAndGet();
		}
	}

	private void workOnce() throws InterruptedException {
		this.outcomes.awaitRoom();
		if (this.membership.liveId() == null) {
			this.queues.awaitChange(LEASE_CHECK_NANOS);
			return;
		}
		QueuedEvent event = this.queues.take();
		if (event != null) {
			deliver(event.claim().owner(), new ArrayList<>(List.of(event)));
		}
	}

	private void deliver(long owner, List<QueuedEvent> events) {
		List<ListenerGuard> listeners;
		try {
			boolean gathered = this.membership.isLive(owner) && gather(owner, events);
			listeners = (gathered && this.membership.isLive(owner)) ? this.courier.enter(events.get(0)) : null;
			if (listeners == null) {
				putBack(owner, events);
				return;
			}
		}
		catch (Throwable ex) {
			events.forEach(this.dropped);
			throw ex;
		}
		events.forEach(this.started);
		this.courier.deliver(events, listeners);
	}

	/**
	 * Take further events for a listener that wants them together. Only one worker waits
	 * for them: if another does already, the event is left to that one.
	 * @return whether the events are to be delivered here
	 */
	private boolean gather(long owner, List<QueuedEvent> events) {
		QueuedEvent first = events.get(0);
		ListenerGuard batch = first.isSuspect() ? null : this.courier.batchGuard(first);
		if (batch == null) {
			return true;
		}
		if (!batch.isPatient()) {
			events.addAll(more(batch, owner));
			return true;
		}
		if (!batch.gathering().compareAndSet(false, true)) {
			return false;
		}
		try {
			events.addAll(more(batch, owner));
			return true;
		}
		finally {
			batch.gathering().set(false);
			this.queues.becameReady();
		}
	}

	private List<QueuedEvent> more(ListenerGuard batch, long owner) {
		return this.queues.takeMore(
				(other) -> other.claim().owner() == owner && this.courier.batchGuard(other) == batch,
				batch.endpoint().settings().batchSize() - 1, batch.endpoint().settings().batchWait().toNanos());
	}

	/**
	 * Keep events until the lease holds again, or their listeners have places again,
	 * unless they belong to others by now.
	 */
	private void putBack(long owner, List<QueuedEvent> events) {
		Long nodeId = this.membership.id();
		boolean own = nodeId != null && nodeId == owner;
		for (int i = events.size() - 1; i >= 0; i--) {
			if (!own || !this.queues.putBack(events.get(i))) {
				this.dropped.accept(events.get(i));
			}
		}
	}

}
