package dev.outbox.dispatch;

import java.time.Duration;

import dev.outbox.store.Completion;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How outcomes are recorded.
 *
 * @param mode Whether delivered events are kept until they are purged, or deleted.
 * @param maxBatch How many outcomes are recorded together at most.
 * @param maxDelay How long an outcome waits for others to be recorded with.
 */
@ConfigurationProperties("outbox.completion")
public record CompletionProperties(@DefaultValue("keep") Completion mode, @DefaultValue("500") int maxBatch,
		@DefaultValue("5ms") Duration maxDelay) {

	public CompletionProperties {
		if (maxBatch < 1 || maxDelay.isNegative()) {
			throw new IllegalArgumentException(
					"outbox.completion.max-batch must be positive, max-delay must not be negative");
		}
	}

}
