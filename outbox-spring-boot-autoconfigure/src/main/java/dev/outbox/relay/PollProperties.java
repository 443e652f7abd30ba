package dev.outbox.relay;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How the table is looked through for events that are due.
 *
 * @param enabled Whether this node looks for events that it did not write itself.
 * @param interval Longest pause between two looks.
 * @param floor Shortest pause between two looks of which the first found less than a full
 * batch.
 * @param batch How many events are claimed at a time.
 */
@ConfigurationProperties("outbox.poll")
public record PollProperties(@DefaultValue("true") boolean enabled, @DefaultValue("5s") Duration interval,
		@DefaultValue("50ms") Duration floor, @DefaultValue("500") int batch) {

	public PollProperties {
		if (floor.isNegative() || floor.isZero() || interval.compareTo(floor) < 0 || batch < 1) {
			throw new IllegalArgumentException(
					"outbox.poll.floor and batch must be positive, and interval must not be shorter than floor");
		}
	}

}
