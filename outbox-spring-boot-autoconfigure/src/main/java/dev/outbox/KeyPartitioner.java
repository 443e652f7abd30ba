package dev.outbox;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * Spreads events by a checksum of their key that is the same on every JVM and in every
 * language.
 */
enum KeyPartitioner implements Partitioner {

	INSTANCE;

	@Override
	public int partition(EventEnvelope event, int count) {
		String key = event.key();
		CRC32C checksum = new CRC32C();
		checksum.update(((key != null) ? key : event.eventId()).getBytes(StandardCharsets.UTF_8));
		return (int) (checksum.getValue() % count);
	}

}
