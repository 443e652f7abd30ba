package dev.outbox.dead;

import java.util.Optional;

import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.store.EventAdmin;

/**
 * What operators do with events that were given up. Errors of the database are thrown,
 * never answered with nothing.
 */
public interface DeadEvents {

	/**
	 * List dead events, those that died first before the others.
	 * @param query which events, where to go on, and how many at most
	 * @return the events
	 * @throws IllegalArgumentException if the cursor is none that was handed out
	 */
	DeadEventPage find(DeadEventQuery query);

	/**
	 * Look up a dead event.
	 * @param eventId its id
	 * @return the event, or nothing if there is none or it is not dead
	 */
	Optional<DeadEvent> get(String eventId);

	/**
	 * Count dead events.
	 * @param query which events; its cursor and limit do not matter
	 * @return how many there are
	 */
	long count(DeadEventQuery query);

	/**
	 * Deliver a dead event again, to those of its listeners that have not had it. Of
	 * several at once, one succeeds.
	 * @param eventId its id
	 * @throws EventNotDeadException if it is not dead or unknown
	 */
	void replay(String eventId);

	/**
	 * Deliver dead events again, those that died first before the others. Events that die
	 * while this goes on are left alone, even if it was this that replayed them.
	 * @param query which events; its cursor and limit do not matter
	 * @param options how many, how fast, and whether at all
	 * @return what was done
	 * @throws IllegalArgumentException if the query has no condition and does not say
	 * that all events are meant
	 */
	ReplayReport replayAll(DeadEventQuery query, ReplayOptions options);

	/**
	 * Delete a dead event.
	 * @param eventId its id
	 * @throws EventNotDeadException if it is not dead or unknown
	 */
	void discard(String eventId);

	/**
	 * Return the dead events of an outbox.
	 * @param name the outbox's name, with which log lines begin
	 * @param database where the outbox is
	 * @param listener is told of replays
	 * @return its dead events
	 */
	static DeadEvents of(String name, OutboxDatabase database, ReplayListener listener) {
		return new StoredDeadEvents(name, new EventAdmin(database), Pacing.PARKING, listener);
	}

}
