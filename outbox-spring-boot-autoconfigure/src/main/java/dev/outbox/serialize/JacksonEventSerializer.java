package dev.outbox.serialize;

import java.util.Map;
import java.util.stream.Collectors;

import dev.outbox.EventPayload;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes JSON with Jackson.
 */
final class JacksonEventSerializer implements EventSerializer {

	private final JsonMapper mapper;

	JacksonEventSerializer(JsonMapper mapper) {
		this.mapper = mapper;
	}

	@Override
	public EventPayload serialize(Object event) {
		try {
			return EventPayload.text(this.mapper.writeValueAsString(event));
		}
		catch (JacksonException ex) {
			throw failure("written as JSON", event.getClass(), ex);
		}
	}

	@Override
	public <T> T deserialize(EventPayload payload, Class<T> type) {
		T event;
		try {
			event = (payload instanceof EventPayload.Text text) ? this.mapper.readValue(text.value(), type)
					: this.mapper.readValue(((EventPayload.Bytes) payload).value(), type);
		}
		catch (JacksonException ex) {
			throw failure("read from JSON", type, ex);
		}
		if (event == null) {
			throw new EventSerializationException(type.getName() + " could not be read from JSON: it is null");
		}
		return event;
	}

	private static EventSerializationException failure(String what, Class<?> type, JacksonException ex) {
		String place = ex.getPath().stream().map((step) -> place(step, ex)).collect(Collectors.joining("."));
		return new EventSerializationException("%s could not be %s: %s%s".formatted(type.getName(), what,
				ex.getClass().getSimpleName(), place.isEmpty() ? "" : " at " + place));
	}

	/**
	 * Keys of maps and names of unknown properties are content, so they are not told.
	 */
	private static String place(JacksonException.Reference step, JacksonException ex) {
		if (step.getPropertyName() == null) {
			return String.valueOf(step.getIndex());
		}
		Class<?> owner = (step.from() instanceof Class<?> type) ? type : step.from().getClass();
		return (Map.class.isAssignableFrom(owner) || ex instanceof UnrecognizedPropertyException) ? "*"
				: step.getPropertyName();
	}

}
