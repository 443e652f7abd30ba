package dev.outbox;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Keeps times and delays within what is stored: microseconds since 1970 in 64 bits, with
 * room left to add one to the other.
 */
final class StorableTime {

	private static final Instant EARLIEST = Instant.EPOCH;

	private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

	private static final Duration LONGEST = Duration.ofDays(365 * 100);

	private StorableTime() {
	}

	static Instant check(String field, Instant time) {
		if (time.isBefore(EARLIEST) || time.isAfter(LATEST)) {
			throw new InvalidEventException(field, "is not between the years 1970 and 9999");
		}
		return time.truncatedTo(ChronoUnit.MICROS);
	}

	static Duration check(String field, Duration delay) {
		if (delay.isNegative() || delay.compareTo(LONGEST) > 0) {
			throw new InvalidEventException(field, "is not between zero and a hundred years");
		}
		return delay;
	}

}
