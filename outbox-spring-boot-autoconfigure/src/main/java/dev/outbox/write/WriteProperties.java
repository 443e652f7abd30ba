package dev.outbox.write;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * What may be written.
 *
 * @param maxPayload Largest payload of an event, text counted in UTF-8.
 * @param maxHeaders Largest number of headers of an event.
 * @param maxHeaderBytes Largest size of all header names and values of an event together.
 * @param applicationEvents Whether objects annotated with @OutboxEvent that are published
 * through Spring's ApplicationEventPublisher are written.
 */
@ConfigurationProperties("outbox.write")
public record WriteProperties(@DefaultValue("1MB") DataSize maxPayload, @DefaultValue("64") int maxHeaders,
		@DefaultValue("16KB") DataSize maxHeaderBytes, @DefaultValue("true") boolean applicationEvents) {

	public WriteProperties {
		if (maxPayload.toBytes() < 1 || maxHeaders < 0 || maxHeaderBytes.toBytes() < 0) {
			throw new IllegalArgumentException(
					"outbox.write.max-payload must be positive, max-headers and max-header-bytes must not be negative");
		}
	}

}
