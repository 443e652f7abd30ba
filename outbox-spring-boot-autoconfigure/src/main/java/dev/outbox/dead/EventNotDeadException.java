package dev.outbox.dead;

import dev.outbox.OutboxException;
import dev.outbox.store.EventStatus;
import org.jspecify.annotations.Nullable;

/**
 * An event cannot be replayed or discarded because it is not dead: it has another status,
 * or there is no such event.
 */
public class EventNotDeadException extends OutboxException {

	private static final long serialVersionUID = 1L;

	private final String eventId;

	private final @Nullable EventStatus status;

	EventNotDeadException(String eventId, @Nullable EventStatus status) {
		super((status != null) ? "Event " + eventId + " is not DEAD but " + status
				: "There is no event " + eventId + ": it never was, or it was discarded or purged");
		this.eventId = eventId;
		this.status = status;
	}

	/**
	 * Return the id that was asked for.
	 * @return the event's id
	 */
	public String eventId() {
		return this.eventId;
	}

	/**
	 * Return the event's status.
	 * @return the status, or {@code null} if there is no such event
	 */
	public @Nullable EventStatus status() {
		return this.status;
	}

}
