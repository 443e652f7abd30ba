package dev.outbox;

/**
 * Decides which partition an event belongs to. Events of one partition are owned by one
 * node at a time when delivery is ordered, so an event's partition must depend on nothing
 * but the event. All nodes of an outbox must use the same partitioner.
 */
@FunctionalInterface
public interface Partitioner {

	/**
	 * Return the partition of an event.
	 * @param event the event
	 * @param count the number of partitions
	 * @return a number from 0 to {@code count - 1}
	 */
	int partition(EventEnvelope event, int count);

	/**
	 * Return the default: CRC-32C of the ordering key in UTF-8, modulo the count. Events
	 * without a key are spread by their id.
	 * @return the partitioner
	 */
	static Partitioner byKey() {
		return KeyPartitioner.INSTANCE;
	}

}
