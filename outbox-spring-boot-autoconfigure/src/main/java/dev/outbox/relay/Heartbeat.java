package dev.outbox.relay;

import java.time.Duration;

import dev.outbox.node.HeartbeatConnection;
import dev.outbox.node.Membership;
import dev.outbox.node.NodeTable;

/**
 * Gives this node's signs of life. A node that is the only one declares all others dead
 * after it has joined, so that nothing waits for the lease of an earlier start.
 */
public final class Heartbeat {

	private final Membership membership;

	private final Runnable agreement;

	private final Runnable takeOver;

	private final HeartbeatConnection connection;

	private final Duration interval;

	private boolean tookOver;

	private Heartbeat(Membership membership, Runnable agreement, Runnable takeOver, HeartbeatConnection connection,
			Duration interval) {
		this.membership = membership;
		this.agreement = agreement;
		this.takeOver = takeOver;
		this.connection = connection;
		this.interval = interval;
	}

	/**
	 * Make the heartbeat of one node among others.
	 * @param membership this node
	 * @param agreement throws an exception if this node must not run among the others
	 * @param connection the connection that it uses
	 * @param interval how often to beat
	 * @return the heartbeat
	 */
	public static Heartbeat amongOthers(Membership membership, Runnable agreement, HeartbeatConnection connection,
			Duration interval) {
		return new Heartbeat(membership, agreement, () -> {
		}, connection, interval);
	}

	/**
	 * Make the heartbeat of a node that is the only one.
	 * @param membership this node
	 * @param agreement throws an exception if this node must not run on these tables
	 * @param nodes the nodes of earlier starts
	 * @param reaper takes back what they held
	 * @param connection the connection that it uses
	 * @param interval how often to beat
	 * @return the heartbeat
	 */
	public static Heartbeat alone(Membership membership, Runnable agreement, NodeTable nodes, Reaper reaper,
			HeartbeatConnection connection, Duration interval) {
		return new Heartbeat(membership, agreement, () -> {
			Long id = membership.id();
			if (id != null) {
				nodes.markOthersDead(id);
				reaper.runOnce();
			}
		}, connection, interval);
	}

	/**
	 * Return how often it beats.
	 * @return the interval
	 */
	public Duration interval() {
		return this.interval;
	}

	/**
	 * Beat once.
	 * @return how long to wait until the next beat
	 */
	public Duration runOnce() {
		try {
			this.agreement.run();
			this.membership.beat();
		}
		catch (RuntimeException ex) {
			this.connection.drop();
			throw ex;
		}
		if (!this.tookOver) {
			this.takeOver.run();
			this.tookOver = true;
		}
		return this.interval;
	}

}
