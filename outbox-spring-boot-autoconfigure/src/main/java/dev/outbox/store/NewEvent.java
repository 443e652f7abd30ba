package dev.outbox.store;

import dev.outbox.EventEnvelope;
import org.jspecify.annotations.Nullable;

/**
 * An event to append.
 *
 * @param envelope the event
 * @param partition its partition
 * @param owner the node that claims it at birth, or {@code null} to leave it to the
 * pollers
 */
public record NewEvent(EventEnvelope envelope, int partition, @Nullable Long owner) {

}
