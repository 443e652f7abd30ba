package dev.outbox.dispatch;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How events are delivered.
 *
 * @param enabled Whether this process delivers events. If not, it only writes them and
 * other nodes deliver them.
 * @param workers How many listeners run at a time.
 * @param hotQueue How many events that were written here may wait for delivery in memory.
 * What exceeds it is left in the table for the pollers.
 * @param coldQueue How many events that the poller claimed may wait for delivery.
 * @param hotMaxBytes How many bytes of payload may wait in the hot queue. Events that
 * exceed it are left in the table for the pollers.
 * @param hotMaxPerTransaction How many places in the hot queue one transaction gets.
 * @param unroutableAfter How long an event waits for a node with a listener for it before
 * it is given up. With 0 it is given up at once.
 * @param listenerTimeout How long a listener may take before it is interrupted, or the
 * stage that it returned is not waited for any more, and its attempt counts as failed.
 * Off if not set.
 * @param stuckWarning How long a listener may take before a warning is logged.
 */
@ConfigurationProperties("outbox.dispatch")
public record DispatchProperties(@DefaultValue("true") boolean enabled, @DefaultValue("4") int workers,
		@DefaultValue("1000") int hotQueue, @DefaultValue("1000") int coldQueue,
		@DefaultValue("64MB") DataSize hotMaxBytes, @DefaultValue("100") int hotMaxPerTransaction,
		@DefaultValue("24h") Duration unroutableAfter, @Nullable Duration listenerTimeout,
		@DefaultValue("5m") Duration stuckWarning) {

	public DispatchProperties {
		if (workers < 1 || hotQueue < 0 || coldQueue < 1 || hotMaxPerTransaction < 0) {
			throw new IllegalArgumentException("outbox.dispatch.workers and cold-queue must be positive, hot-queue and "
					+ "hot-max-per-transaction must not be negative");
		}
		if (unroutableAfter.isNegative()) {
			throw new IllegalArgumentException("outbox.dispatch.unroutable-after must not be negative");
		}
		if (stuckWarning.isNegative() || stuckWarning.isZero()) {
			throw new IllegalArgumentException("outbox.dispatch.stuck-warning must be positive");
		}
		if (listenerTimeout != null && (listenerTimeout.isNegative() || listenerTimeout.isZero())) {
			throw new IllegalArgumentException("outbox.dispatch.listener-timeout must be positive if it is set");
		}
	}

}
