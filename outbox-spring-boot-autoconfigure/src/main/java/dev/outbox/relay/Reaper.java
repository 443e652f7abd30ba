package dev.outbox.relay;

import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

import dev.outbox.node.Membership;
import dev.outbox.node.NodeTable;
import dev.outbox.store.NodeClaims;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes events back from nodes that are gone.
 * <ol>
 * <li>Nodes whose lease is over are declared dead, except for this one: if nobody did it
 * while it was late, its next beat works and it goes on where it was.
 * <li>Whoever owns events and is not among the living loses them. This is asked anew each
 * time and for ever, because a row may become visible long after its owner died.
 * <li>Nodes that have been dead for a day are forgotten; to own events they need not be
 * remembered.
 * </ol>
 */
public final class Reaper {

	private static final Logger logger = LoggerFactory.getLogger(Reaper.class);

	private static final int BATCH = 500;

	private static final Duration FORGET_AFTER = Duration.ofDays(1);

	private final String outbox;

	private final Membership membership;

	private final NodeTable nodes;

	private final NodeClaims claims;

	private final Runnable reclaimed;

	private final Duration interval;

	/**
	 * Make a reaper.
	 * @param outbox the name of the outbox
	 * @param membership this node
	 * @param nodes the nodes
	 * @param claims what they hold
	 * @param reclaimed is run when events were taken back
	 * @param interval how often to look
	 */
	public Reaper(String outbox, Membership membership, NodeTable nodes, NodeClaims claims, Runnable reclaimed,
			Duration interval) {
		this.outbox = outbox;
		this.membership = membership;
		this.nodes = nodes;
		this.claims = claims;
		this.reclaimed = reclaimed;
		this.interval = interval;
	}

	/**
	 * Look once.
	 * @return how long to wait until the next look
	 */
	public Duration runOnce() {
		for (Long id : this.nodes.expired()) {
			if (!Objects.equals(id, this.membership.id()) && this.nodes.markDead(id)) {
				logger.warn("{}: node {} has given no sign of life for too long and is declared dead", this.outbox, id);
			}
		}
		Set<Long> owners = new HashSet<>(this.claims.owners());
		Set<Long> dead = this.nodes.deadAmong(owners);
		int total = 0;
		int count = 0;
		do {
			count = this.claims.reclaim(dead, BATCH);
			total += count;
		}
		while (count == BATCH);
		if (total > 0) {
			logger.info("{}: took {} events back from {} nodes that are gone", this.outbox, total, dead.size());
			this.reclaimed.run();
		}
		this.nodes.forgetDead(FORGET_AFTER);
		return this.interval;
	}

}
