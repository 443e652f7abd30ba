package dev.outbox.write;

import dev.outbox.EventEnvelope;
import dev.outbox.InvalidEventException;

/**
 * The configured sizes that an event must not exceed, checked before the insert so that
 * every database answers alike.
 *
 * @param maxPayload bytes of the payload
 * @param maxHeaders number of headers
 * @param maxHeaderBytes bytes of all headers together
 */
record EventLimits(long maxPayload, int maxHeaders, long maxHeaderBytes) {

	static EventLimits of(WriteProperties properties) {
		return new EventLimits(properties.maxPayload().toBytes(), properties.maxHeaders(),
				properties.maxHeaderBytes().toBytes());
	}

	void check(EventEnvelope event) {
		if (event.payloadSize() > this.maxPayload) {
			throw new InvalidEventException("payload",
					"has %d bytes, outbox.write.max-payload is %d".formatted(event.payloadSize(), this.maxPayload));
		}
		if (event.headers().size() > this.maxHeaders) {
			throw new InvalidEventException("headers", "has %d entries, outbox.write.max-headers is %d"
				.formatted(event.headers().size(), this.maxHeaders));
		}
		if (!event.headers().isEmpty() && event.headersSize() > this.maxHeaderBytes) {
			throw new InvalidEventException("headers", "has %d bytes, outbox.write.max-header-bytes is %d"
				.formatted(event.headersSize(), this.maxHeaderBytes));
		}
	}

}
