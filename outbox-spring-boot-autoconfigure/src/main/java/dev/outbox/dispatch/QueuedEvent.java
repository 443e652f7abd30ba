package dev.outbox.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.store.Claim;
import dev.outbox.store.EventRecord;
import org.jspecify.annotations.Nullable;

/**
 * An event that waits for delivery or is being delivered.
 *
 * @param claim the claim under which it is delivered
 * @param hot whether it came straight from the transaction that wrote it
 * @param envelope the event as it was written, if it is hot
 * @param row the event's row, if it was read
 */
record QueuedEvent(Claim claim, boolean hot, @Nullable EventEnvelope envelope, @Nullable EventRecord row) {

	private static final int SUSPECT_AFTER_RECLAIMS = 2;

	static QueuedEvent hot(Claim claim, EventEnvelope envelope) {
		return new QueuedEvent(claim, true, envelope, null);
	}

	static QueuedEvent of(EventRecord row) {
		return new QueuedEvent(row.claim(), false, null, row);
	}

	QueuedEvent withAttempts(int attempts) {
		return new QueuedEvent(this.claim, this.hot, this.envelope, requireRow().withAttempts(attempts));
	}

	QueuedEvent withClaim(Claim newClaim) {
		return new QueuedEvent(newClaim, this.hot, this.envelope, this.row);
	}

	EventEnvelope decode() {
		if (this.envelope != null) {
			return this.envelope;
		}
		return requireRow().envelope();
	}

	String eventType() {
		return (this.envelope != null) ? this.envelope.eventType() : requireRow().eventType();
	}

	String aggregateType() {
		return (this.envelope != null) ? this.envelope.aggregateType() : requireRow().aggregateType();
	}

	int attempts() {
		return (this.row != null) ? this.row.attempts() : 0;
	}

	int reclaims() {
		return (this.row != null) ? this.row.reclaims() : 0;
	}

	/**
	 * Return whether the event may be what killed the nodes that had it before.
	 */
	boolean isSuspect() {
		return reclaims() >= SUSPECT_AFTER_RECLAIMS;
	}

	@Nullable String progress() {
		return (this.row != null) ? this.row.progress() : null;
	}

	long payloadSize() {
		return (this.envelope != null) ? this.envelope.payloadSize() : 0;
	}

	private EventRecord requireRow() {
		if (this.row == null) {
			throw new IllegalStateException("Event " + this.claim.eventId() + " has not been read");
		}
		return this.row;
	}

}
