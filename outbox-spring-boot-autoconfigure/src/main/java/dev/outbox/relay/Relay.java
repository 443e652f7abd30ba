package dev.outbox.relay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.outbox.dispatch.BackgroundLoop;
import dev.outbox.dispatch.Dispatcher;
import dev.outbox.node.Membership;
import dev.outbox.store.NodeClaims;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * Starts and stops the delivery of a node in the right order. While it stops, signs of
 * life go on until the last outcome is recorded; then the node signs off, so that nobody
 * waits for its lease.
 */
public final class Relay {

	private static final Logger logger = LoggerFactory.getLogger(Relay.class);

	private static final Duration PATIENCE = Duration.ofSeconds(2);

	private final String outbox;

	private final Membership membership;

	private final Dispatcher dispatcher;

	private final NodeClaims claims;

	private final Heartbeat firstBeat;

	private final Duration pauseAfterFailure;

	private final BackgroundLoop heartbeat;

	private final List<BackgroundLoop> duties;

	/**
	 * Make a relay.
	 * @param outbox the name of the outbox
	 * @param membership this node
	 * @param dispatcher its dispatcher
	 * @param claims what nodes hold
	 * @param heartbeat its signs of life
	 * @param duties the other duties
	 */
	public Relay(String outbox, Membership membership, Dispatcher dispatcher, NodeClaims claims, Heartbeat heartbeat,
			List<BackgroundLoop> duties) {
		this.outbox = outbox;
		this.membership = membership;
		this.dispatcher = dispatcher;
		this.claims = claims;
		this.firstBeat = heartbeat;
		this.pauseAfterFailure = heartbeat.interval().dividedBy(4);
		this.heartbeat = new BackgroundLoop(outbox, "heartbeat", this.pauseAfterFailure, heartbeat::runOnce);
		this.duties = new ArrayList<>(duties);
	}

	/**
	 * Begin. A node that cannot join yet, as when the database is out of reach, tries it
	 * again in the background.
	 */
	public void start() {
		try {
			this.firstBeat.runOnce();
		}
		catch (DataAccessException | TransactionException ex) {
			logger.warn("{}: this node could not join yet, which is tried again every {} ms: {}", this.outbox,
					this.pauseAfterFailure.toMillis(), ex.toString());
		}
		this.heartbeat.start();
		this.dispatcher.start();
		this.duties.forEach(BackgroundLoop::start);
	}

	/**
	 * Stop.
	 * @param drain how long listeners may take before they are interrupted
	 */
	public void stop(Duration drain) {
		this.duties.forEach(BackgroundLoop::stopSoon);
		this.duties.forEach((duty) -> duty.stop(PATIENCE));
		boolean clean = this.dispatcher.stop(drain);
		this.heartbeat.stop(PATIENCE);
		if (clean && leave()) {
			return;
		}
		this.membership.abandon();
		logger.warn("{}: the node did not stop cleanly, so others wait for its lease before they take over",
				this.outbox);
	}

	/**
	 * Give back what was committed for this node while it was stopping, and sign off.
	 */
	private boolean leave() {
		try {
			Long nodeId = this.membership.id();
			if (nodeId != null) {
				this.claims.releaseAll(nodeId);
			}
			this.membership.leave();
			return true;
		}
		catch (RuntimeException ex) {
			logger.debug("{}: the node could not sign off", this.outbox, ex);
			return false;
		}
	}

}
