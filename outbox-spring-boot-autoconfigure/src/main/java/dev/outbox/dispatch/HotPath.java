package dev.outbox.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

import dev.outbox.EventEnvelope;
import dev.outbox.node.Membership;
import dev.outbox.store.Claim;
import dev.outbox.write.HandOver;
import dev.outbox.write.WrittenEvent;
import org.jspecify.annotations.Nullable;

/**
 * Hands out the places of the hot queue. An event gets one only if this node could
 * deliver it right away and hold its payload in memory until then; it keeps it until a
 * worker takes the event or it turns out that there is nothing to deliver.
 */
final class HotPath implements HandOver {

	private final Membership membership;

	private final ListenerGuards guards;

	private final InFlight inFlight;

	private final Verifier verifier;

	private final PollTrigger trigger;

	private final DispatchStatistics statistics;

	private final int maxPerTransaction;

	private final long maxBytes;

	private final Semaphore places;

	private final AtomicLong bytes = new AtomicLong();

	private final Map<Claim, Long> reserved = new ConcurrentHashMap<>();

	private volatile boolean open;

	HotPath(Membership membership, ListenerGuards guards, InFlight inFlight, Verifier verifier, PollTrigger trigger,
			DispatchStatistics statistics, DispatchProperties properties) {
		this.membership = membership;
		this.guards = guards;
		this.inFlight = inFlight;
		this.verifier = verifier;
		this.trigger = trigger;
		this.statistics = statistics;
		this.maxPerTransaction = properties.hotMaxPerTransaction();
		this.maxBytes = properties.hotMaxBytes().toBytes();
		this.places = new Semaphore(properties.hotQueue());
	}

	void open() {
		this.open = true;
	}

	void close() {
		this.open = false;
	}

	@Override
	public @Nullable Long reserve(EventEnvelope event, int taken) {
		Long nodeId = this.open ? this.membership.liveId() : null;
		if (nodeId == null || event.availableAt() != null || event.deliverAfter() != null
				|| !this.guards.areReady(event.aggregateType(), event.eventType())) {
			return null;
		}
		if (taken >= this.maxPerTransaction || !tryOccupy(event.payloadSize())) {
			this.statistics.hotRefused.increment();
			return null;
		}
		if (this.reserved.putIfAbsent(born(event, nodeId), event.payloadSize()) != null) {
			free(event.payloadSize());
			return null;
		}
		return nodeId;
	}

	private boolean tryOccupy(long size) {
		if (!this.places.tryAcquire()) {
			return false;
		}
		if (this.bytes.addAndGet(size) > this.maxBytes) {
			free(size);
			return false;
		}
		return true;
	}

	private void free(long size) {
		this.bytes.addAndGet(-size);
		this.places.release();
	}

	@Override
	public void handOver(List<WrittenEvent> events) {
		if (events.isEmpty()) {
			return;
		}
		List<QueuedEvent> queued = new ArrayList<>(events.size());
		for (WrittenEvent event : events) {
			Claim claim = claim(event);
			this.inFlight.add(claim);
			if (this.reserved.remove(claim) != null) {
				queued.add(QueuedEvent.hot(claim, event.envelope()));
			}
			else {
				this.inFlight.remove(claim);
			}
		}
		this.statistics.hotEnqueued.add(queued.size());
		if (!this.open || !this.verifier.add(queued)) {
			queued.forEach(this::left);
			this.inFlight.removeAll(queued.stream().map(QueuedEvent::claim).toList());
		}
	}

	@Override
	public void cancel(List<WrittenEvent> events) {
		events.forEach((event) -> disown(claim(event)));
	}

	/**
	 * Take the place from an event whose transaction has not come back for it. If it does
	 * after all, it finds the place gone.
	 * @return whether there was a place
	 */
	boolean disown(Claim claim) {
		Long size = this.reserved.remove(claim);
		if (size != null) {
			free(size);
		}
		return size != null;
	}

	@Override
	public void due(List<WrittenEvent> events) {
		for (WrittenEvent event : events) {
			Instant at = event.envelope().availableAt();
			Duration delay = event.envelope().deliverAfter();
			if (at != null) {
				Duration remaining = Duration.between(Instant.now(), at);
				this.trigger.pullIn(remaining.isNegative() ? Duration.ZERO : remaining);
			}
			else {
				this.trigger.pullIn((delay != null) ? delay : Duration.ZERO);
			}
		}
	}

	/**
	 * Free the place of an event that has left the hot queue.
	 */
	void left(QueuedEvent event) {
		free(event.payloadSize());
	}

	private static Claim claim(WrittenEvent event) {
		Long owner = event.owner();
		if (owner == null) {
			throw new IllegalArgumentException("Event " + event.envelope().eventId() + " has no place");
		}
		return born(event.envelope(), owner);
	}

	private static Claim born(EventEnvelope event, long owner) {
		return new Claim(event.eventId(), owner, Claim.BORN);
	}

}
