package dev.outbox.write;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Into how many partitions events are divided.
 *
 * @param count Number of partitions, the same on all nodes and for good.
 */
@ConfigurationProperties("outbox.partitions")
public record PartitionsProperties(@DefaultValue("64") int count) {

	public PartitionsProperties {
		if (count < 1 || count > 32_767) {
			throw new IllegalArgumentException("outbox.partitions.count must be between 1 and 32767");
		}
	}

}
