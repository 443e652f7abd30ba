package dev.outbox.listener;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import dev.outbox.EventEnvelope;
import dev.outbox.EventPayload;
import dev.outbox.serialize.EventSerializationException;
import dev.outbox.serialize.EventSerializer;

/**
 * Makes what a listener's event parameter wants of an event: an object, the payload as it
 * is, or the envelope.
 */
final class PayloadReader {

	private final EventSerializer serializer;

	private final Class<?> eventClass;

	PayloadReader(EventSerializer serializer, Class<?> eventClass) {
		this.serializer = serializer;
		this.eventClass = eventClass;
	}

	Object read(EventEnvelope envelope) {
		if (this.eventClass == EventEnvelope.class) {
			return envelope;
		}
		if (this.eventClass == String.class) {
			return text(envelope.payload());
		}
		if (this.eventClass == byte[].class) {
			return bytes(envelope.payload());
		}
		Object event = this.serializer.deserialize(envelope.payload(), this.eventClass);
		if (event == null) {
			throw new EventSerializationException(this.eventClass.getName() + " could not be read: it is null");
		}
		return event;
	}

	private static String text(EventPayload payload) {
		if (payload instanceof EventPayload.Text text) {
			return text.value();
		}
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes(payload))).toString();
		}
		catch (CharacterCodingException ex) {
			throw new EventSerializationException(
					"The listener wants text, but the payload is binary and no text in UTF-8");
		}
	}

	private static byte[] bytes(EventPayload payload) {
		return (payload instanceof EventPayload.Text text) ? text.value().getBytes(StandardCharsets.UTF_8)
				: ((EventPayload.Bytes) payload).value();
	}

}
