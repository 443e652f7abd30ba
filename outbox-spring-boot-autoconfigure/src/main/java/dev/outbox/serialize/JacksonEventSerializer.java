package dev.outbox.serialize;

import dev.outbox.EventPayload;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindException;
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
		try {
			return (payload instanceof EventPayload.Text text) ? this.mapper.readValue(text.value(), type)
					: this.mapper.readValue(((EventPayload.Bytes) payload).value(), type);
		}
		catch (JacksonException ex) {
			throw failure("read from JSON", type, ex);
		}
	}

	private static EventSerializationException failure(String what, Class<?> type, JacksonException ex) {
		String place = (ex instanceof DatabindException databind) ? databind.getPathReference() : "";
		return new EventSerializationException("%s could not be %s: %s%s".formatted(type.getName(), what,
				ex.getClass().getSimpleName(), place.isEmpty() ? "" : " at " + place));
	}

}
