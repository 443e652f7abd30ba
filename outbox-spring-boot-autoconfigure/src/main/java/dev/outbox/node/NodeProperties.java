package dev.outbox.node;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * This node among the others.
 *
 * @param heartbeat How often a node gives a sign of life.
 * @param lease How long a node counts as alive after its last sign of life. Should be
 * several heartbeats.
 * @param reaper Whether this node takes events back from nodes that are gone.
 */
@ConfigurationProperties("outbox.node")
public record NodeProperties(@DefaultValue("2s") Duration heartbeat, @DefaultValue("10s") Duration lease,
		@DefaultValue("true") boolean reaper) {

	private static final Duration SHORTEST_LIMIT = Duration.ofSeconds(1);

	public NodeProperties {
		if (heartbeat.isNegative() || heartbeat.isZero() || lease.compareTo(heartbeat.multipliedBy(2)) < 0) {
			throw new IllegalArgumentException(
					"outbox.node.heartbeat must be positive and outbox.node.lease at least twice as long");
		}
	}

	/**
	 * Return how long a statement of a sign of life may take. The network may take twice
	 * as long, and after a connection on which no answer comes there must be time for a
	 * beat on another one before the lease is over.
	 * @param queryTimeout how long other statements may take
	 * @return the time limit, of which JDBC counts whole seconds
	 */
	public Duration beatTimeout(Duration queryTimeout) {
		Duration share = this.lease.dividedBy(6);
		Duration longest = (share.compareTo(SHORTEST_LIMIT) > 0) ? share : SHORTEST_LIMIT;
		return (queryTimeout.compareTo(longest) < 0) ? queryTimeout : longest;
	}

}
