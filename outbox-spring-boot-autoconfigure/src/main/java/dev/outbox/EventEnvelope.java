package dev.outbox;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * One event with everything the outbox stores of it. Immutable; made by a
 * {@link #builder(EventType) builder} that refuses what some database could not store
 * unchanged.
 */
public final class EventEnvelope {

	private final String eventId;

	private final String eventType;

	private final Instant occurredAt;

	private final String aggregateType;

	private final @Nullable String aggregateId;

	private final @Nullable String key;

	private final @Nullable String tenantId;

	private final Map<String, String> headers;

	private final EventPayload payload;

	private final @Nullable Instant availableAt;

	private final @Nullable Duration deliverAfter;

	private final long payloadSize;

	private EventEnvelope(Builder builder, EventPayload payload) {
		this.eventId = (builder.eventId != null) ? builder.eventId : Ulid.next();
		this.eventType = builder.eventType;
		this.occurredAt = ((builder.occurredAt != null) ? builder.occurredAt : Instant.now())
			.truncatedTo(ChronoUnit.MICROS);
		this.aggregateType = builder.aggregateType;
		this.aggregateId = builder.aggregateId;
		this.key = builder.keySet ? builder.key : builder.aggregateId;
		this.tenantId = builder.tenantId;
		this.headers = EventHeaders.copyOf(builder.headers);
		this.payload = payload;
		this.availableAt = builder.availableAt;
		this.deliverAfter = builder.deliverAfter;
		this.payloadSize = (payload instanceof EventPayload.Text text)
				? StorableText.check("payload", text.value(), StorableText.Rule.NO_NUL)
				: ((EventPayload.Bytes) payload).length();
	}

	/**
	 * Start an event of the given type.
	 * @param eventType the event type
	 * @return a new builder
	 */
	public static Builder builder(EventType eventType) {
		return new Builder(eventType.name());
	}

	/**
	 * Start an event of the given type.
	 * @param eventType the name of the event type
	 * @return a new builder
	 */
	public static Builder builder(String eventType) {
		return new Builder(eventType);
	}

	/**
	 * Return an event that has a type, a JSON payload and defaults otherwise.
	 * @param eventType the name of the event type
	 * @param payloadJson the payload
	 * @return the event
	 */
	public static EventEnvelope ofJson(String eventType, String payloadJson) {
		return builder(eventType).payloadJson(payloadJson).build();
	}

	/**
	 * Return an event that has a type, a JSON payload and defaults otherwise.
	 * @param eventType the event type
	 * @param payloadJson the payload
	 * @return the event
	 */
	public static EventEnvelope ofJson(EventType eventType, String payloadJson) {
		return builder(eventType).payloadJson(payloadJson).build();
	}

	/**
	 * Return the unique id, by default a ULID.
	 * @return the id, at most 36 characters
	 */
	public String eventId() {
		return this.eventId;
	}

	/**
	 * Return the logical name of the kind of event.
	 * @return the event type's name
	 */
	public String eventType() {
		return this.eventType;
	}

	/**
	 * Return when the event happened, by the writer's clock, in microseconds.
	 * @return the time
	 */
	public Instant occurredAt() {
		return this.occurredAt;
	}

	/**
	 * Return the logical name of the kind of thing the event is about.
	 * @return the aggregate type's name, {@code __GLOBAL__} by default
	 */
	public String aggregateType() {
		return this.aggregateType;
	}

	/**
	 * Return which thing the event is about.
	 * @return the aggregate's id, or {@code null}
	 */
	public @Nullable String aggregateId() {
		return this.aggregateId;
	}

	/**
	 * Return the ordering key. Where order is asked for, events of one key are delivered
	 * one after the other.
	 * @return the key, by default the aggregate id, or {@code null}
	 */
	public @Nullable String key() {
		return this.key;
	}

	/**
	 * Return the tenant, which is carried along and not interpreted.
	 * @return the tenant's id, or {@code null}
	 */
	public @Nullable String tenantId() {
		return this.tenantId;
	}

	/**
	 * Return the headers.
	 * @return an unmodifiable map, in the order in which the headers were set
	 */
	public Map<String, String> headers() {
		return this.headers;
	}

	/**
	 * Return the content.
	 * @return the payload
	 */
	public EventPayload payload() {
		return this.payload;
	}

	/**
	 * Return the text of the payload.
	 * @return the text, or {@code null} if the payload is binary
	 */
	public @Nullable String payloadJson() {
		return (this.payload instanceof EventPayload.Text text) ? text.value() : null;
	}

	/**
	 * Return a copy of the bytes of the payload.
	 * @return the bytes, or {@code null} if the payload is text
	 */
	public byte @Nullable [] payloadBytes() {
		return (this.payload instanceof EventPayload.Bytes bytes) ? bytes.value() : null;
	}

	/**
	 * Return how many bytes the payload takes, text counted in UTF-8.
	 * @return the number of bytes
	 */
	public long payloadSize() {
		return this.payloadSize;
	}

	/**
	 * Return how many bytes the headers' names and values take in UTF-8.
	 * @return the number of bytes
	 */
	public long headersSize() {
		return EventHeaders.size(this.headers);
	}

	/**
	 * Return the moment before which the event is not delivered.
	 * @return the time, or {@code null} if none was set
	 */
	public @Nullable Instant availableAt() {
		return this.availableAt;
	}

	/**
	 * Return how long after its write, by the database's clock, the event is not
	 * delivered.
	 * @return the delay, or {@code null} if none was set
	 */
	public @Nullable Duration deliverAfter() {
		return this.deliverAfter;
	}

	/**
	 * Return a builder that starts with everything this event has, its id included.
	 * @return a new builder
	 */
	public Builder toBuilder() {
		Builder builder = new Builder(this.eventType);
		builder.eventId = this.eventId;
		builder.occurredAt = this.occurredAt;
		builder.aggregateType = this.aggregateType;
		builder.aggregateId = this.aggregateId;
		builder.key = this.key;
		builder.keySet = !Objects.equals(this.key, this.aggregateId);
		builder.tenantId = this.tenantId;
		builder.headers.putAll(this.headers);
		builder.payload = this.payload;
		builder.availableAt = this.availableAt;
		builder.deliverAfter = this.deliverAfter;
		return builder;
	}

	@Override
	public boolean equals(Object other) {
		return other instanceof EventEnvelope that && this.eventId.equals(that.eventId)
				&& this.eventType.equals(that.eventType) && this.occurredAt.equals(that.occurredAt)
				&& this.aggregateType.equals(that.aggregateType) && Objects.equals(this.aggregateId, that.aggregateId)
				&& Objects.equals(this.key, that.key) && Objects.equals(this.tenantId, that.tenantId)
				&& this.headers.equals(that.headers) && this.payload.equals(that.payload)
				&& Objects.equals(this.availableAt, that.availableAt)
				&& Objects.equals(this.deliverAfter, that.deliverAfter);
	}

	@Override
	public int hashCode() {
		return this.eventId.hashCode();
	}

	@Override
	public String toString() {
		return "EventEnvelope[" + this.eventType + " " + this.eventId + "]";
	}

	/**
	 * Builds an {@link EventEnvelope}. Each setter refuses what could not be stored.
	 */
	public static final class Builder {

		private final String eventType;

		private @Nullable String eventId;

		private @Nullable Instant occurredAt;

		private String aggregateType = AggregateType.GLOBAL.name();

		private @Nullable String aggregateId;

		private @Nullable String key;

		private boolean keySet;

		private @Nullable String tenantId;

		private final Map<String, String> headers = new LinkedHashMap<>();

		private @Nullable EventPayload payload;

		private boolean payloadSet;

		private @Nullable Instant availableAt;

		private @Nullable Duration deliverAfter;

		private boolean dueSet;

		private Builder(String eventType) {
			this.eventType = EventField.EVENT_TYPE.check(eventType);
		}

		/**
		 * Set an id of your own instead of a ULID. A second event with it is refused.
		 * @param eventId the id, at most 36 characters
		 * @return this builder
		 */
		public Builder eventId(String eventId) {
			this.eventId = EventField.EVENT_ID.check(eventId);
			return this;
		}

		/**
		 * Set when the event happened instead of now.
		 * @param occurredAt the time, which is cut to microseconds
		 * @return this builder
		 */
		public Builder occurredAt(Instant occurredAt) {
			this.occurredAt = StorableTime.check("occurredAt", occurredAt);
			return this;
		}

		/**
		 * Set what kind of thing the event is about.
		 * @param aggregateType the aggregate type
		 * @return this builder
		 */
		public Builder aggregateType(AggregateType aggregateType) {
			return aggregateType(aggregateType.name());
		}

		/**
		 * Set what kind of thing the event is about.
		 * @param aggregateType the name of the aggregate type, at most 64 characters
		 * @return this builder
		 */
		public Builder aggregateType(String aggregateType) {
			this.aggregateType = EventField.AGGREGATE_TYPE.check(aggregateType);
			return this;
		}

		/**
		 * Set which thing the event is about.
		 * @param aggregateId the id, at most 128 characters
		 * @return this builder
		 */
		public Builder aggregateId(@Nullable String aggregateId) {
			this.aggregateId = EventField.AGGREGATE_ID.checkIfPresent(aggregateId);
			return this;
		}

		/**
		 * Set the ordering key instead of the aggregate id; {@code null} means that the
		 * event need not wait for any other.
		 * @param key the key, at most 128 characters
		 * @return this builder
		 */
		public Builder key(@Nullable String key) {
			this.key = EventField.KEY.checkIfPresent(key);
			this.keySet = true;
			return this;
		}

		/**
		 * Set the tenant.
		 * @param tenantId the tenant's id, at most 64 characters
		 * @return this builder
		 */
		public Builder tenantId(@Nullable String tenantId) {
			this.tenantId = EventField.TENANT_ID.checkIfPresent(tenantId);
			return this;
		}

		/**
		 * Set one header.
		 * @param name made of letters, digits, {@code .}, {@code _} and {@code -}
		 * @param value text without control characters
		 * @return this builder
		 */
		public Builder header(String name, String value) {
			EventHeaders.check(name, value);
			this.headers.put(name, value);
			return this;
		}

		/**
		 * Set several headers, keeping those set before.
		 * @param headers the headers
		 * @return this builder
		 */
		public Builder headers(Map<String, String> headers) {
			headers.forEach(this::header);
			return this;
		}

		/**
		 * Set the payload as JSON or any other text.
		 * @param payloadJson the text, which is stored as it is
		 * @return this builder
		 */
		public Builder payloadJson(String payloadJson) {
			return payload(EventPayload.text(payloadJson));
		}

		/**
		 * Set the payload as bytes.
		 * @param payloadBytes the bytes, which are copied
		 * @return this builder
		 */
		public Builder payloadBytes(byte[] payloadBytes) {
			return payload(EventPayload.bytes(payloadBytes));
		}

		/**
		 * Set the payload. It can be set once only, as text or as bytes.
		 * @param payload the payload
		 * @return this builder
		 */
		public Builder payload(EventPayload payload) {
			if (this.payloadSet) {
				throw new InvalidEventException("payload", "was set already, as text or as bytes");
			}
			this.payload = payload;
			this.payloadSet = true;
			return this;
		}

		/**
		 * Deliver the event not before the given moment. For a delay,
		 * {@link #deliverAfter(Duration)} is the better choice: it counts from the write
		 * by the database's clock.
		 * @param availableAt the time
		 * @return this builder
		 */
		public Builder availableAt(Instant availableAt) {
			if (this.dueSet && this.deliverAfter != null) {
				throw new InvalidEventException("availableAt", "must not be set together with deliverAfter");
			}
			this.availableAt = StorableTime.check("availableAt", availableAt);
			this.deliverAfter = null;
			this.dueSet = true;
			return this;
		}

		/**
		 * Deliver the event not before the given time has passed since its write.
		 * @param deliverAfter the delay
		 * @return this builder
		 */
		public Builder deliverAfter(Duration deliverAfter) {
			if (this.dueSet && this.availableAt != null) {
				throw new InvalidEventException("deliverAfter", "must not be set together with availableAt");
			}
			this.deliverAfter = StorableTime.check("deliverAfter", deliverAfter);
			this.availableAt = null;
			this.dueSet = true;
			return this;
		}

		/**
		 * Return the event.
		 * @return a new, immutable event
		 */
		public EventEnvelope build() {
			if (this.payload == null) {
				throw new InvalidEventException("payload", "must be set, as text or as bytes");
			}
			return new EventEnvelope(this, this.payload);
		}

	}

}
