package dev.outbox.write;

import java.util.List;

import dev.outbox.EventEnvelope;
import org.jspecify.annotations.Nullable;

/**
 * Takes events over from the transaction that wrote them, so that they are delivered
 * right after the commit. None of its methods may block, or take a connection: they run
 * on the business thread.
 */
public interface HandOver {

	/**
	 * Takes nothing over: all events are left to the pollers.
	 */
	HandOver NONE = new HandOver() {

		@Override
		public @Nullable Long reserve(EventEnvelope event, int taken) {
			return null;
		}

		@Override
		public void handOver(List<WrittenEvent> events) {
		}

		@Override
		public void cancel(List<WrittenEvent> events) {
		}

		@Override
		public void due(List<WrittenEvent> events) {
		}

	};

	/**
	 * Reserve a place for an event that is about to be inserted.
	 * @param event the event
	 * @param taken how many places its transaction has already
	 * @return the id of the node that the row is to be claimed for, or {@code null} if
	 * there is no place
	 */
	@Nullable Long reserve(EventEnvelope event, int taken);

	/**
	 * Take over events that have a place, after a commit or after a transaction of which
	 * it is not known how it ended.
	 * @param events the events, in write order
	 */
	void handOver(List<WrittenEvent> events);

	/**
	 * Free the places of events that were rolled back.
	 * @param events the events
	 */
	void cancel(List<WrittenEvent> events);

	/**
	 * Notice that there are committed events without a place.
	 * @param events the events
	 */
	void due(List<WrittenEvent> events);

}
