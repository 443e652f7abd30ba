package dev.outbox.store;

import java.time.Instant;
import java.util.Objects;

import dev.outbox.EventEnvelope;
import dev.outbox.EventPayload;
import dev.outbox.InvalidEventException;
import org.jspecify.annotations.Nullable;

/**
 * A row of the event table as it is. Nothing is decoded yet, so that one damaged row does
 * not spoil the reading of others.
 *
 * @param eventId the event's id
 * @param sequence its place in the order of writing
 * @param status its status
 * @param owner the node that has claimed it, if any
 * @param claimNumber how often it was claimed or replayed
 * @param attempts how many deliveries were tried and counted
 * @param reclaims how often it was taken back from a dead node
 * @param partition its partition
 * @param availableAt when it is due, or when it was finished
 * @param createdAt when it was written
 * @param occurredAt when it happened
 * @param doneAt when it was finished
 * @param eventType its type
 * @param aggregateType its aggregate type
 * @param aggregateId its aggregate's id
 * @param key its ordering key
 * @param tenantId its tenant
 * @param headers its headers as JSON
 * @param payload its content, or {@code null} if the row has none
 * @param progress which of several listeners have had it
 * @param lastError why the last attempt failed
 */
public record EventRecord(String eventId, long sequence, EventStatus status, @Nullable Long owner, int claimNumber,
		int attempts, int reclaims, int partition, Instant availableAt, Instant createdAt, Instant occurredAt,
		@Nullable Instant doneAt, String eventType, String aggregateType, @Nullable String aggregateId,
		@Nullable String key, @Nullable String tenantId, @Nullable String headers, @Nullable EventPayload payload,
		@Nullable String progress, @Nullable String lastError) {

	/**
	 * Return the claim that the row carries.
	 * @return the claim
	 * @throws IllegalStateException if nobody has claimed the row
	 */
	public Claim claim() {
		if (this.owner == null) {
			throw new IllegalStateException("Nobody has claimed event " + this.eventId);
		}
		return new Claim(this.eventId, this.owner, this.claimNumber);
	}

	/**
	 * Decode the row.
	 * @return the event as it was written
	 * @throws InvalidEventException if the row is damaged
	 */
	public EventEnvelope envelope() {
		if (this.payload == null) {
			throw new InvalidEventException("payload", "is missing in the table");
		}
		EventEnvelope.Builder builder = EventEnvelope.builder(this.eventType)
			.eventId(this.eventId)
			.occurredAt(this.occurredAt)
			.aggregateType(this.aggregateType)
			.aggregateId(this.aggregateId)
			.tenantId(this.tenantId)
			.headers(HeadersJson.read(this.headers))
			.payload(this.payload);
		if (!Objects.equals(this.key, this.aggregateId)) {
			builder.key(this.key);
		}
		return builder.build();
	}

	EventRecord claimedBy(long newOwner) {
		return with(newOwner, this.claimNumber + 1, this.attempts);
	}

	/**
	 * Return the row with another number of attempts.
	 * @param counted how many attempts have been counted by now
	 * @return the row
	 */
	public EventRecord withAttempts(int counted) {
		return with(this.owner, this.claimNumber, counted);
	}

	private EventRecord with(@Nullable Long newOwner, int newClaimNumber, int newAttempts) {
		return new EventRecord(this.eventId, this.sequence, this.status, newOwner, newClaimNumber, newAttempts,
				this.reclaims, this.partition, this.availableAt, this.createdAt, this.occurredAt, this.doneAt,
				this.eventType, this.aggregateType, this.aggregateId, this.key, this.tenantId, this.headers,
				this.payload, this.progress, this.lastError);
	}

	@Override
	public String toString() {
		return "EventRecord[" + this.eventType + " " + this.eventId + " " + this.status + ", claim " + this.claimNumber
				+ " of " + this.owner + ", attempt " + this.attempts + "]";
	}

}
