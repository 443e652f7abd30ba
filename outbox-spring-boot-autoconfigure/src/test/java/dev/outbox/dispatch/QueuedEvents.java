package dev.outbox.dispatch;

import java.time.Instant;

import dev.outbox.EventEnvelope;
import dev.outbox.EventPayload;
import dev.outbox.store.Claim;
import dev.outbox.store.EventRecord;
import dev.outbox.store.EventStatus;
import org.jspecify.annotations.Nullable;

/**
 * Events as they wait in the queues.
 */
final class QueuedEvents {

	static final long NODE = 7;

	private QueuedEvents() {
	}

	static QueuedEvent hot(String id) {
		return QueuedEvent.hot(new Claim(id, NODE, Claim.BORN), envelope(id));
	}

	static QueuedEvent cold(String id) {
		return QueuedEvent.of(row(id, 0, 0, null, null));
	}

	static QueuedEvent suspect(String id) {
		return QueuedEvent.of(row(id, 0, 2, null, null));
	}

	static EventEnvelope envelope(String id) {
		return EventEnvelope.builder("thing.happened").eventId(id).payloadJson("{}").build();
	}

	static EventRecord row(String id, int attempts, int reclaims, @Nullable String progress,
			@Nullable String lastError) {
		Instant time = Instant.parse("2026-01-01T00:00:00Z");
		return new EventRecord(id, 1, EventStatus.RETRY, NODE, 2, attempts, reclaims, 0, time, time, time, null,
				"thing.happened", "", null, null, null, null, EventPayload.text("{}"), progress, lastError);
	}

}
