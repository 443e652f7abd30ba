package dev.outbox.relay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Lock;

import dev.outbox.dispatch.Dispatcher;
import dev.outbox.node.Membership;
import dev.outbox.store.Claim;
import dev.outbox.store.EventClaims;
import dev.outbox.store.NodeClaims;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back events that the table says are this node's and that this node knows nothing
 * about, as after a claim whose answer got lost. An event must be unknown twice in a row,
 * so that one that is just being claimed or settled is left alone; and no poll may be
 * under way, because its answer may be slow.
 */
public final class ClaimSweep {

	private static final Logger logger = LoggerFactory.getLogger(ClaimSweep.class);

	private static final int PAGE = 500;

	private final String outbox;

	private final Membership membership;

	private final NodeClaims nodeClaims;

	private final EventClaims claims;

	private final Dispatcher dispatcher;

	private final Lock claiming;

	private final Duration interval;

	private Set<Claim> unknown = Set.of();

	/**
	 * Make a sweep.
	 * @param outbox the name of the outbox
	 * @param membership this node
	 * @param nodeClaims what nodes hold
	 * @param claims gives events back
	 * @param dispatcher knows what this node holds
	 * @param claiming is held while events are claimed for this node
	 * @param interval how often to look
	 */
	public ClaimSweep(String outbox, Membership membership, NodeClaims nodeClaims, EventClaims claims,
			Dispatcher dispatcher, Lock claiming, Duration interval) {
		this.outbox = outbox;
		this.membership = membership;
		this.nodeClaims = nodeClaims;
		this.claims = claims;
		this.dispatcher = dispatcher;
		this.claiming = claiming;
		this.interval = interval;
	}

	/**
	 * Look once.
	 * @return how long to wait until the next look
	 */
	public Duration runOnce() {
		this.claiming.lock();
		try {
			sweep();
		}
		finally {
			this.claiming.unlock();
		}
		return this.interval;
	}

	private void sweep() {
		Long nodeId = this.membership.id();
		Set<Claim> found = (nodeId != null) ? unknown(nodeId) : Set.of();
		List<Claim> again = new ArrayList<>(found);
		again.retainAll(this.unknown);
		this.unknown = found;
		again.removeIf((claim) -> !this.dispatcher.disown(claim));
		if (!again.isEmpty()) {
			int released = this.claims.release(again);
			logger.warn("{}: gave {} events back that were claimed for this node without its knowing", this.outbox,
					released);
		}
	}

	private Set<Claim> unknown(long nodeId) {
		Set<Claim> found = new HashSet<>();
		String after = "";
		List<Claim> page;
		do {
			page = this.nodeClaims.list(nodeId, after, PAGE);
			for (Claim claim : page) {
				after = claim.eventId();
				if (!this.dispatcher.knows(claim)) {
					found.add(claim);
				}
			}
		}
		while (page.size() == PAGE);
		return found;
	}

}
