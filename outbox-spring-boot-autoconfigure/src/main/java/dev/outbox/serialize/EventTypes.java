package dev.outbox.serialize;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import dev.outbox.OutboxEvent;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * The classes annotated with {@link OutboxEvent} and their logical names. Those in the
 * application's packages are known from the start, others from their first use on; no two
 * may have one name.
 */
public final class EventTypes {

	private final Map<Class<?>, Optional<EventDescriptor>> byClass = new ConcurrentHashMap<>();

	private final Map<String, EventDescriptor> byName = new ConcurrentHashMap<>();

	/**
	 * Start with some classes.
	 * @param eventClasses annotated classes
	 * @throws DuplicateEventTypeException if two of them have one name
	 */
	public EventTypes(Collection<Class<?>> eventClasses) {
		eventClasses.forEach(this::describe);
	}

	/**
	 * Describe a class. A subclass or proxy of an annotated class counts as that class.
	 * @param type the class of an object
	 * @return the description, or {@code null} if the class is not annotated
	 */
	public @Nullable EventDescriptor describe(Class<?> type) {
		Optional<EventDescriptor> known = this.byClass.get(type);
		if (known == null) {
			known = Optional.ofNullable(find(type));
			this.byClass.put(type, known);
		}
		return known.orElse(null);
	}

	/**
	 * Return whether a class is annotated, without looking at what the annotation says.
	 * @param type the class of an object
	 * @return whether it is an event
	 */
	public boolean isEvent(Class<?> type) {
		Optional<EventDescriptor> known = this.byClass.get(type);
		return (known != null) ? known.isPresent() : annotatedClass(type) != null;
	}

	/**
	 * Return the class that has a logical name.
	 * @param eventType the name
	 * @return the description of the class, or {@code null} if none has that name
	 */
	public @Nullable EventDescriptor named(String eventType) {
		return this.byName.get(eventType);
	}

	private @Nullable EventDescriptor find(Class<?> type) {
		Class<?> annotated = annotatedClass(type);
		if (annotated == null) {
			return null;
		}
		OutboxEvent annotation = AnnotatedElementUtils.getMergedAnnotation(annotated, OutboxEvent.class);
		return (annotation != null) ? register(new EventDescriptor(annotated, annotation)) : null;
	}

	private static @Nullable Class<?> annotatedClass(Class<?> type) {
		for (Class<?> current = type; current != null; current = current.getSuperclass()) {
			if (AnnotatedElementUtils.isAnnotated(current, OutboxEvent.class)) {
				return current;
			}
		}
		return null;
	}

	private EventDescriptor register(EventDescriptor descriptor) {
		EventDescriptor other = this.byName.putIfAbsent(descriptor.eventType(), descriptor);
		if (other == null) {
			return descriptor;
		}
		if (other.eventClass() != descriptor.eventClass()) {
			throw new DuplicateEventTypeException(descriptor.eventType(), other.eventClass(), descriptor.eventClass());
		}
		return other;
	}

}
