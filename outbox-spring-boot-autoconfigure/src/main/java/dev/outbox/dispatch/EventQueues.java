package dev.outbox.dispatch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

import dev.outbox.store.Claim;
import org.jspecify.annotations.Nullable;

/**
 * What waits for a worker. Of three events taken, two come from the hot queue and one
 * from the cold one, as long as both have some; otherwise from the one that has. A worker
 * that waits is woken by whatever comes first.
 * <p>
 * Events that may have killed a node take turns with the cold ones, and only one of them
 * is out at a time, until its outcome is recorded. So the one that does kill the node
 * takes none of the others along.
 * <p>
 * Events whose listeners cannot be called now, because as many calls as they may have are
 * under way, are passed over and hold up nobody else.
 * <p>
 * The queues do not refuse anything: places are handed out before, by {@link HotPath} and
 * by asking for no more rows than there is room for.
 */
final class EventQueues {

	private static final int HOT_SHARE = 2;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition changed = this.lock.newCondition();

	private final Deque<QueuedEvent> hot = new ArrayDeque<>();

	private final Deque<QueuedEvent> cold = new ArrayDeque<>();

	private final Deque<QueuedEvent> suspects = new ArrayDeque<>();

	private final Predicate<QueuedEvent> ready;

	private volatile boolean passedOver;

	private int hotInARow;

	private boolean suspectNext;

	private volatile @Nullable Claim suspectOut;

	private boolean closed;

	EventQueues() {
		this((event) -> true);
	}

	/**
	 * Create queues.
	 * @param ready whether an event can be delivered now; what cannot is passed over
	 */
	EventQueues(Predicate<QueuedEvent> ready) {
		this.ready = ready;
	}

	/**
	 * Add events, unless the queues are closed.
	 * @return whether they were added
	 */
	boolean add(Collection<QueuedEvent> events) {
		this.lock.lock();
		try {
			if (this.closed) {
				return false;
			}
			for (QueuedEvent event : events) {
				queueOf(event).add(event);
			}
			this.changed.signalAll();
			return true;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Put an event back that could not be started, in front of the others.
	 * @return whether it was put back
	 */
	boolean putBack(QueuedEvent event) {
		this.lock.lock();
		try {
			if (!this.closed) {
				queueOf(event).addFirst(event);
				finished(event.claim());
				this.changed.signalAll();
			}
			return !this.closed;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Wait for an event.
	 * @return the event, or {@code null} once the queues are closed
	 */
	@Nullable QueuedEvent take() throws InterruptedException {
		this.lock.lockInterruptibly();
		try {
			while (!this.closed) {
				QueuedEvent event = next();
				if (event != null) {
					return event;
				}
				this.changed.await();
			}
			return null;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Take further events of a kind, waiting for them for a while. An interrupt ends the
	 * waiting; what has been taken by then is returned all the same.
	 */
	List<QueuedEvent> takeMore(Predicate<QueuedEvent> kind, int limit, long waitNanos) {
		List<QueuedEvent> taken = new ArrayList<>();
		long remaining = waitNanos;
		this.lock.lock();
		try {
			while (!this.closed) {
				takeMatching(this.hot, kind, limit, taken);
				takeMatching(this.cold, kind, limit, taken);
				if (taken.size() >= limit || remaining <= 0) {
					break;
				}
				remaining = this.changed.awaitNanos(remaining);
			}
			return taken;
		}
		catch (InterruptedException ex) {
			return taken;
		}
		finally {
			this.lock.unlock();
		}
	}

	private static void takeMatching(Deque<QueuedEvent> queue, Predicate<QueuedEvent> kind, int limit,
			List<QueuedEvent> taken) {
		Iterator<QueuedEvent> events = queue.iterator();
		while (taken.size() < limit && events.hasNext()) {
			QueuedEvent event = events.next();
			if (kind.test(event)) {
				events.remove();
				taken.add(event);
			}
		}
	}

	private @Nullable QueuedEvent next() {
		boolean coldFirst = this.hotInARow >= HOT_SHARE;
		QueuedEvent event = coldFirst ? nextCold() : firstReady(this.hot);
		if (event == null) {
			event = coldFirst ? firstReady(this.hot) : nextCold();
		}
		if (event != null) {
			this.hotInARow = event.hot() ? this.hotInARow % HOT_SHARE + 1 : 0;
		}
		return event;
	}

	private @Nullable QueuedEvent nextCold() {
		boolean suspectFirst = this.suspectNext;
		QueuedEvent event = suspectFirst ? nextSuspect() : firstReady(this.cold);
		if (event == null) {
			event = suspectFirst ? firstReady(this.cold) : nextSuspect();
		}
		if (event != null) {
			this.suspectNext = !event.isSuspect();
		}
		return event;
	}

	private @Nullable QueuedEvent nextSuspect() {
		QueuedEvent suspect = (this.suspectOut == null) ? firstReady(this.suspects) : null;
		if (suspect != null) {
			this.suspectOut = suspect.claim();
		}
		return suspect;
	}

	private @Nullable QueuedEvent firstReady(Deque<QueuedEvent> queue) {
		Iterator<QueuedEvent> events = queue.iterator();
		while (events.hasNext()) {
			QueuedEvent event = events.next();
			if (isReady(event)) {
				events.remove();
				return event;
			}
		}
		return null;
	}

	/**
	 * Look twice, so that a place that becomes free in between is not missed: either it
	 * is seen here, or who freed it sees that something was passed over.
	 */
	private boolean isReady(QueuedEvent event) {
		if (this.ready.test(event)) {
			return true;
		}
		this.passedOver = true;
		return this.ready.test(event);
	}

	/**
	 * Look again at what was passed over.
	 */
	void becameReady() {
		if (this.passedOver) {
			this.passedOver = false;
			signal();
		}
	}

	/**
	 * Let the next suspect out if the claim is that of the one that is out.
	 */
	void finished(Claim claim) {
		Claim out = this.suspectOut;
		if (out != null && out.eventId().equals(claim.eventId())) {
			this.suspectOut = null;
			signal();
		}
	}

	private Deque<QueuedEvent> queueOf(QueuedEvent event) {
		if (event.isSuspect()) {
			return this.suspects;
		}
		return event.hot() ? this.hot : this.cold;
	}

	/**
	 * Wait until something changes, but not for ever.
	 */
	void awaitChange(long nanos) throws InterruptedException {
		this.lock.lockInterruptibly();
		try {
			if (!this.closed) {
				this.changed.awaitNanos(nanos);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	void signal() {
		this.lock.lock();
		try {
			this.changed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Take out all events of a kind.
	 */
	List<QueuedEvent> remove(Predicate<QueuedEvent> kind) {
		List<QueuedEvent> removed = new ArrayList<>();
		this.lock.lock();
		try {
			takeMatching(this.hot, kind, Integer.MAX_VALUE, removed);
			takeMatching(this.cold, kind, Integer.MAX_VALUE, removed);
			takeMatching(this.suspects, kind, Integer.MAX_VALUE, removed);
			return removed;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Close the queues: workers get nothing any more.
	 * @return what was waiting
	 */
	List<QueuedEvent> close() {
		this.lock.lock();
		try {
			this.closed = true;
			this.changed.signalAll();
			return remove((event) -> true);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Return how many events wait that did not come from a transaction here.
	 */
	int coldSize() {
		this.lock.lock();
		try {
			return this.cold.size() + this.suspects.size();
		}
		finally {
			this.lock.unlock();
		}
	}

}
