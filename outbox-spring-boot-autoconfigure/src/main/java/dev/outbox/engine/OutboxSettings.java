package dev.outbox.engine;

import dev.outbox.dispatch.CompletionProperties;
import dev.outbox.dispatch.DispatchProperties;
import dev.outbox.jdbc.OutboxProperties;
import dev.outbox.node.NodeProperties;
import dev.outbox.relay.PollProperties;
import dev.outbox.relay.PurgeProperties;
import dev.outbox.retry.BreakerProperties;
import dev.outbox.retry.RetryProperties;
import dev.outbox.write.PartitionsProperties;
import dev.outbox.write.WriteProperties;

import org.springframework.boot.context.properties.bind.Binder;

/**
 * All settings of one outbox.
 *
 * @param outbox which outbox it is and where its tables are
 * @param engine the outbox as a whole
 * @param write what may be written
 * @param partitions how keys are divided
 * @param node this node among the others
 * @param dispatch how events are delivered
 * @param completion how outcomes are recorded
 * @param retry how often failed deliveries are repeated
 * @param breaker when a listener is left alone
 * @param poll how the table is looked through
 * @param purge how long events are kept
 */
public record OutboxSettings(OutboxProperties outbox, EngineProperties engine, WriteProperties write,
		PartitionsProperties partitions, NodeProperties node, DispatchProperties dispatch,
		CompletionProperties completion, RetryProperties retry, BreakerProperties breaker, PollProperties poll,
		PurgeProperties purge) {

	/**
	 * Return the default settings.
	 * @return the settings
	 */
	public static OutboxSettings defaults() {
		return bind(new Binder(), "outbox");
	}

	/**
	 * Bind the settings of an outbox to properties of the same names as those of the
	 * auto-configured one, but with another prefix.
	 * @param binder what binds, usually {@code Binder.get(environment)}
	 * @param prefix the prefix, such as {@code audit-outbox}
	 * @return the settings
	 */
	public static OutboxSettings bind(Binder binder, String prefix) {
		return new OutboxSettings(binder.bindOrCreate(prefix, OutboxProperties.class),
				binder.bindOrCreate(prefix, EngineProperties.class),
				binder.bindOrCreate(prefix + ".write", WriteProperties.class),
				binder.bindOrCreate(prefix + ".partitions", PartitionsProperties.class),
				binder.bindOrCreate(prefix + ".node", NodeProperties.class),
				binder.bindOrCreate(prefix + ".dispatch", DispatchProperties.class),
				binder.bindOrCreate(prefix + ".completion", CompletionProperties.class),
				binder.bindOrCreate(prefix + ".retry", RetryProperties.class),
				binder.bindOrCreate(prefix + ".breaker", BreakerProperties.class),
				binder.bindOrCreate(prefix + ".poll", PollProperties.class),
				binder.bindOrCreate(prefix + ".purge", PurgeProperties.class));
	}

}
