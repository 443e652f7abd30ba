package dev.outbox.relay;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Lock;

import dev.outbox.dispatch.Dispatcher;
import dev.outbox.node.Membership;
import dev.outbox.store.EventClaims;
import dev.outbox.store.EventRecord;
import dev.outbox.store.EventSelection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds events that are due and claims them for this node: those that no hot queue had
 * room for, that are to be tried again, or that were written elsewhere.
 * <p>
 * A full batch is followed by the next at once. After one that was not full the pauses
 * grow, from the floor up to the interval, and no two nodes take the same. It claims no
 * more than the dispatcher has room for, and only what somebody here listens to. When
 * there is no room, the dispatcher calls it back.
 */
public final class Poller {

	private static final Logger logger = LoggerFactory.getLogger(Poller.class);

	private static final double JITTER = 0.2;

	private static final Duration BETWEEN_PROBES = Duration.ofMillis(500);

	private final String outbox;

	private final Membership membership;

	private final EventClaims claims;

	private final Dispatcher dispatcher;

	private final Lock claiming;

	private final PollProperties properties;

	private final UnroutableEvents unroutable;

	private Duration pause;

	/**
	 * Make a poller.
	 * @param outbox the name of the outbox
	 * @param membership this node
	 * @param claims claims events
	 * @param dispatcher takes them over
	 * @param claiming is held from the claim until the dispatcher knows of it
	 * @param properties how to look
	 */
	public Poller(String outbox, Membership membership, EventClaims claims, Dispatcher dispatcher, Lock claiming,
			PollProperties properties) {
		this.outbox = outbox;
		this.membership = membership;
		this.claims = claims;
		this.dispatcher = dispatcher;
		this.claiming = claiming;
		this.properties = properties;
		this.unroutable = new UnroutableEvents(outbox, claims, dispatcher, properties);
		this.pause = properties.floor();
	}

	/**
	 * Begin with short pauses again, because an event is due any moment.
	 */
	public void hurry() {
		this.pause = this.properties.floor();
	}

	/**
	 * Look once.
	 * @return how long to wait until the next look
	 */
	public Duration runOnce() {
		this.claiming.lock();
		try {
			return poll();
		}
		finally {
			this.claiming.unlock();
		}
	}

	private Duration poll() {
		Long nodeId = this.membership.liveId();
		if (nodeId == null) {
			return this.properties.floor();
		}
		int limit = Math.min(this.properties.batch(), this.dispatcher.room());
		if (limit == 0) {
			return this.properties.interval();
		}
		this.unroutable.look(nodeId);
		List<EventSelection> probes = this.dispatcher.probes();
		probes.forEach((probe) -> claim(nodeId, probe, 1));
		int claimed = claim(nodeId, this.dispatcher.claimable(), limit);
		if (claimed == limit) {
			this.pause = this.properties.floor();
			return Duration.ZERO;
		}
		if (claimed > 0) {
			this.pause = this.properties.floor();
			return this.pause;
		}
		Duration next = jittered(this.pause);
		Duration doubled = this.pause.multipliedBy(2);
		this.pause = (doubled.compareTo(this.properties.interval()) < 0) ? doubled : this.properties.interval();
		return (probes.isEmpty() || next.compareTo(BETWEEN_PROBES) < 0) ? next : BETWEEN_PROBES;
	}

	private int claim(long nodeId, EventSelection selection, int limit) {
		List<EventRecord> rows = this.claims.claim(nodeId, selection, limit);
		if (!rows.isEmpty()) {
			this.dispatcher.offer(rows);
			logger.debug("{}: claimed {} events", this.outbox, rows.size());
		}
		return rows.size();
	}

	private static Duration jittered(Duration pause) {
		double factor = ThreadLocalRandom.current().nextDouble(1 - JITTER, 1 + JITTER);
		return Duration.ofNanos((long) (pause.toNanos() * factor));
	}

}
