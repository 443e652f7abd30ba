package dev.outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import dev.outbox.node.Membership;
import dev.outbox.store.Claim;
import dev.outbox.store.EventClaims;

/**
 * Looks in the table whether events that were handed over are really there before they
 * are delivered. What is not there was never committed, whatever its transaction
 * believed.
 * <p>
 * A lone event is looked up at once. While reads follow each other closely, the next one
 * waits a moment, so that many events share it.
 */
final class Verifier {

	private static final long GATHER_NANOS = 1_500_000;

	private final Membership membership;

	private final EventClaims claims;

	private final EventQueues queues;

	private final Consumer<QueuedEvent> averted;

	private final Consumer<QueuedEvent> dropped;

	private final BackgroundLoop loop;

	private final ReentrantLock lock = new ReentrantLock();

	private List<QueuedEvent> waiting = new ArrayList<>();

	private boolean closed;

	private volatile long lastRead = System.nanoTime() - GATHER_NANOS;

	Verifier(String outbox, Membership membership, EventClaims claims, EventQueues queues,
			Consumer<QueuedEvent> averted, Consumer<QueuedEvent> dropped) {
		this.membership = membership;
		this.claims = claims;
		this.queues = queues;
		this.averted = averted;
		this.dropped = dropped;
		this.loop = new BackgroundLoop(outbox, "verify", Duration.ofMillis(250), this::runOnce);
	}

	void start() {
		this.loop.start();
	}

	boolean add(List<QueuedEvent> events) {
		this.lock.lock();
		try {
			if (this.closed) {
				return false;
			}
			this.waiting.addAll(events);
		}
		finally {
			this.lock.unlock();
		}
		long sinceRead = System.nanoTime() - this.lastRead;
		this.loop.wakeIn(Duration.ofNanos(Math.max(0, GATHER_NANOS - sinceRead)));
		return true;
	}

	Duration runOnce() {
		List<QueuedEvent> batch = remove((event) -> true);
		if (batch.isEmpty()) {
			return Duration.ofHours(1);
		}
		this.lastRead = System.nanoTime();
		Map<Long, List<QueuedEvent>> byOwner = batch.stream()
			.collect(Collectors.groupingBy((event) -> event.claim().owner()));
		try {
			for (Map.Entry<Long, List<QueuedEvent>> owned : List.copyOf(byOwner.entrySet())) {
				verify(owned.getKey(), owned.getValue());
				byOwner.remove(owned.getKey());
			}
		}
		catch (RuntimeException | Error ex) {
			this.lock.lock();
			try {
				this.waiting.addAll(0, byOwner.values().stream().flatMap(List::stream).toList());
			}
			finally {
				this.lock.unlock();
			}
			throw ex;
		}
		return Duration.ofHours(1);
	}

	private void verify(long owner, List<QueuedEvent> events) {
		Set<Claim> holding = this.claims.verify(owner, events.stream().map(QueuedEvent::claim).toList());
		List<QueuedEvent> verified = new ArrayList<>(events.size());
		Long nodeId = this.membership.id();
		for (QueuedEvent event : events) {
			if (nodeId == null || nodeId != owner) {
				this.dropped.accept(event);
			}
			else if (!holding.contains(event.claim())) {
				this.averted.accept(event);
			}
			else {
				verified.add(event);
			}
		}
		if (!verified.isEmpty() && !this.queues.add(verified)) {
			verified.forEach(this.dropped);
		}
	}

	List<QueuedEvent> remove(Predicate<QueuedEvent> which) {
		this.lock.lock();
		try {
			List<QueuedEvent> removed = this.waiting.stream().filter(which).toList();
			this.waiting = new ArrayList<>(this.waiting.stream().filter(which.negate()).toList());
			return removed;
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Stop looking.
	 * @return what has not been looked up
	 */
	List<QueuedEvent> close(Duration timeout) {
		this.lock.lock();
		try {
			this.closed = true;
		}
		finally {
			this.lock.unlock();
		}
		this.loop.stop(timeout);
		return remove((event) -> true);
	}

}
