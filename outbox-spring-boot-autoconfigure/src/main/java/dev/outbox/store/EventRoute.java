package dev.outbox.store;

import org.jspecify.annotations.Nullable;

/**
 * Names a kind of event by its type, within one aggregate type or within all.
 *
 * @param aggregateType the aggregate type, or {@code null} for any
 * @param eventType the event type
 */
public record EventRoute(@Nullable String aggregateType, String eventType) {

}
