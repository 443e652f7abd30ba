package dev.outbox.serialize;

import dev.outbox.EventPayload;
import tools.jackson.databind.json.JsonMapper;

/**
 * Turns event objects into payloads and back. A bean of this type replaces the default,
 * which writes JSON with the application's {@code JsonMapper}.
 */
public interface EventSerializer {

	/**
	 * Turn an object into what is stored.
	 * @param event the object
	 * @return the payload, as text or as bytes
	 */
	EventPayload serialize(Object event);

	/**
	 * Turn what was stored back into an object.
	 * @param <T> the type of the object
	 * @param payload the payload
	 * @param type the class that the application knows for the event's type, never one
	 * that the row names
	 * @return the object
	 */
	<T> T deserialize(EventPayload payload, Class<T> type);

	/**
	 * Return a serializer that writes JSON as Jackson does by default.
	 * @return the serializer
	 */
	static EventSerializer jackson() {
		return new JacksonEventSerializer(JsonMapper.builder().build());
	}

}
