package dev.outbox;

import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Partitioner}.
 */
class PartitionerTests {

	private final Partitioner partitioner = Partitioner.byKey();

	/**
	 * Made by a different implementation of CRC-32C. The first one is the check value of
	 * RFC 3720: these numbers are stored, so they must never change.
	 */
	@ParameterizedTest
	@CsvSource({ "123456789, 3808858755", "4711, 2037808435", "kunde-ä, 935083553", "😀, 3823164276" })
	void isTheChecksumOfTheKeyModuloTheCount(String key, long checksum) {
		EventEnvelope event = EventEnvelope.builder("T").payloadJson("{}").key(key).build();
		for (int count : new int[] { 1, 2, 7, 64, 1000, 32_767 }) {
			assertThat(this.partitioner.partition(event, count)).isEqualTo((int) (checksum % count));
		}
	}

	@Test
	void dependsOnNothingButTheKey() {
		EventEnvelope one = EventEnvelope.builder("A").payloadJson("1").aggregateId("4711").build();
		EventEnvelope other = EventEnvelope.builder("B").payloadJson("2").aggregateId("x").key("4711").build();
		assertThat(this.partitioner.partition(one, 64)).isEqualTo(this.partitioner.partition(other, 64)).isEqualTo(51);
	}

	@Test
	void spreadsEventsWithoutKeyEvenlyByTheirId() {
		int count = 64;
		int events = 64_000;
		Map<Integer, Integer> sizes = new HashMap<>();
		for (int i = 0; i < events; i++) {
			EventEnvelope event = EventEnvelope.ofJson("T", "{}");
			int partition = this.partitioner.partition(event, count);
			assertThat(partition).isBetween(0, count - 1).isEqualTo(this.partitioner.partition(event, count));
			sizes.merge(partition, 1, Integer::sum);
		}
		assertThat(sizes).hasSize(count);
		assertThat(sizes.values()).allSatisfy((size) -> assertThat(size).isBetween(750, 1250));
	}

}
