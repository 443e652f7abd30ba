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

	public NodeProperties {
		if (heartbeat.isNegative() || heartbeat.isZero() || lease.compareTo(heartbeat.multipliedBy(2)) < 0) {
			throw new IllegalArgumentException(
					"outbox.node.heartbeat must be positive and outbox.node.lease at least twice as long");
		}
	}

}
