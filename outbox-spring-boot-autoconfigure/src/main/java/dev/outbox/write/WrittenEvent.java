package dev.outbox.write;

import dev.outbox.EventEnvelope;
import org.jspecify.annotations.Nullable;

/**
 * An event that was inserted by a transaction.
 *
 * @param envelope the event
 * @param owner the node that claimed it at birth, or {@code null} if none did
 */
public record WrittenEvent(EventEnvelope envelope, @Nullable Long owner) {

}
