package dev.outbox.dead;

import java.time.Instant;

import dev.outbox.EventPayload;
import dev.outbox.store.EventRecord;
import org.jspecify.annotations.Nullable;

/**
 * An event that was given up, as it stands in the table. Its text form shows nothing of
 * its content.
 *
 * @param eventId its id
 * @param eventType its type
 * @param aggregateType its aggregate type
 * @param aggregateId its aggregate's id
 * @param key its ordering key
 * @param tenantId its tenant
 * @param attempts how many deliveries were tried
 * @param occurredAt when it happened
 * @param createdAt when it was written
 * @param diedAt when it was given up
 * @param lastError why: the listener, the exception, and its message
 * @param progress which of several listeners have had it, as JSON
 * @param headers its headers as JSON
 * @param payload its content, or {@code null} if the row has none
 */
public record DeadEvent(String eventId, String eventType, String aggregateType, @Nullable String aggregateId,
		@Nullable String key, @Nullable String tenantId, int attempts, Instant occurredAt, Instant createdAt,
		Instant diedAt, @Nullable String lastError, @Nullable String progress, @Nullable String headers,
		@Nullable EventPayload payload) {

	static DeadEvent of(EventRecord event) {
		return new DeadEvent(event.eventId(), event.eventType(), event.aggregateType(), event.aggregateId(),
				event.key(), event.tenantId(), event.attempts(), event.occurredAt(), event.createdAt(),
				event.availableAt(), event.lastError(), event.progress(), event.headers(), event.payload());
	}

	@Override
	public String toString() {
		return "DeadEvent[" + this.eventType + " " + this.eventId + ", died " + this.diedAt + " after " + this.attempts
				+ " attempts]";
	}

}
