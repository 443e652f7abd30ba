package dev.outbox.listener;

import org.jspecify.annotations.Nullable;

/**
 * Which events a listener takes.
 *
 * @param aggregateType the name of their aggregate type, or {@code null} for any
 * @param eventType the name of their type
 */
public record Subscription(@Nullable String aggregateType, String eventType) {

	@Override
	public String toString() {
		return (this.aggregateType != null) ? this.aggregateType + ":" + this.eventType : this.eventType;
	}

}
