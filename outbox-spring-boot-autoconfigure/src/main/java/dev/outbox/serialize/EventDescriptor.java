package dev.outbox.serialize;

import dev.outbox.AggregateType;
import dev.outbox.EventEnvelope;
import dev.outbox.EventPayload;
import dev.outbox.EventType;
import dev.outbox.OutboxEvent;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationEvent;

/**
 * What {@link OutboxEvent} says about a class, ready for use.
 */
public final class EventDescriptor {

	private final Class<?> eventClass;

	private final String eventType;

	private final @Nullable String aggregateType;

	private final @Nullable PropertyPath aggregateId;

	private final @Nullable PropertyPath key;

	EventDescriptor(Class<?> eventClass, OutboxEvent annotation) {
		if (ApplicationEvent.class.isAssignableFrom(eventClass)) {
			throw new IllegalStateException(
					"@OutboxEvent on %s: it extends ApplicationEvent, which refers to its source and cannot be stored. Publish a plain object instead"
						.formatted(eventClass.getName()));
		}
		this.eventClass = eventClass;
		this.eventType = EventType.of(annotation.type().isEmpty() ? eventClass.getSimpleName() : annotation.type())
			.name();
		this.aggregateType = annotation.aggregateType().isEmpty() ? null
				: AggregateType.of(annotation.aggregateType()).name();
		this.aggregateId = path("aggregateId", annotation.aggregateId());
		this.key = path("key", annotation.key());
	}

	private @Nullable PropertyPath path(String attribute, String path) {
		return path.isEmpty() ? null : PropertyPath.of(this.eventClass, attribute, path);
	}

	/**
	 * Return the annotated class.
	 * @return the class
	 */
	public Class<?> eventClass() {
		return this.eventClass;
	}

	/**
	 * Return the logical name.
	 * @return the name
	 */
	public String eventType() {
		return this.eventType;
	}

	/**
	 * Put an object into an envelope.
	 * @param event an instance of the annotated class
	 * @param payload the object as it is stored
	 * @return the envelope
	 */
	public EventEnvelope envelope(Object event, EventPayload payload) {
		EventEnvelope.Builder builder = EventEnvelope.builder(this.eventType).payload(payload);
		if (this.aggregateType != null) {
			builder.aggregateType(this.aggregateType);
		}
		if (this.aggregateId != null) {
			builder.aggregateId(this.aggregateId.read(event));
		}
		if (this.key != null) {
			builder.key(this.key.read(event));
		}
		return builder.build();
	}

}
