package dev.outbox.relay;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How long events are kept.
 *
 * @param enabled Whether old events are deleted.
 * @param doneAfter How long delivered events are kept.
 * @param deadAfter How long dead events are kept. For ever if not set.
 * @param unfinishedAfter How long events are kept that were due and never delivered. For
 * ever if not set. Set it only if something else reads the table, as CDC does.
 * @param interval How often old events are deleted.
 * @param batch How many events are deleted at a time.
 */
@ConfigurationProperties("outbox.purge")
public record PurgeProperties(@DefaultValue("true") boolean enabled, @DefaultValue("7d") Duration doneAfter,
		@Nullable Duration deadAfter, @Nullable Duration unfinishedAfter, @DefaultValue("1h") Duration interval,
		@DefaultValue("500") int batch) {

	public PurgeProperties {
		if (interval.isNegative() || interval.isZero() || batch < 1) {
			throw new IllegalArgumentException("outbox.purge.interval and batch must be positive");
		}
		if (isNegative(doneAfter) || isNegative(deadAfter) || isNegative(unfinishedAfter)) {
			throw new IllegalArgumentException(
					"outbox.purge.done-after, dead-after and unfinished-after must not be negative");
		}
	}

	private static boolean isNegative(@Nullable Duration age) {
		return age != null && age.isNegative();
	}

}
