package dev.outbox;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Follows what is written. Several hooks may be beans; they are called in their order.
 * <p>
 * An exception from {@code beforeWrite} fails the write. Exceptions from the other
 * methods are logged and otherwise ignored: they can no longer change what happened. All
 * methods run on the caller's thread, so they should be quick; after commit the
 * transaction's connection is still in use, so they must not ask for another one.
 */
public interface WriterHook {

	/**
	 * Look at events before they are written; may replace, add or remove some.
	 * @param events the events of one call, as left by the hooks before
	 * @return the events to write; {@code null} or an empty list suppresses the write
	 */
	default @Nullable List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
		return events;
	}

	/**
	 * Called when the events are in the table but not committed yet.
	 * @param events the events of one call
	 */
	default void afterWrite(List<EventEnvelope> events) {
	}

	/**
	 * Called once per transaction after it committed.
	 * @param events all events of the transaction, in write order
	 */
	default void afterCommit(List<EventEnvelope> events) {
	}

	/**
	 * Called after a rollback, of the transaction or to a savepoint.
	 * @param events the events that were rolled back, in write order
	 */
	default void afterRollback(List<EventEnvelope> events) {
	}

}
