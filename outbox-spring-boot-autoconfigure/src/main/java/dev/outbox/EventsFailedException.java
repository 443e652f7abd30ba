package dev.outbox;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Thrown by a listener for a list of events of which only some failed. The others of that
 * list count as done.
 */
public class EventsFailedException extends OutboxException {

	private static final long serialVersionUID = 1L;

	private final LinkedHashSet<String> eventIds;

	/**
	 * Name the events that failed.
	 * @param eventIds their ids, see {@link EventEnvelope#eventId()}. If there are none,
	 * or if one of them is not of the list, all events of the list count as failed
	 * @param cause why they failed
	 */
	public EventsFailedException(Collection<String> eventIds, @Nullable Throwable cause) {
		super(eventIds.size() + " events of a list failed", cause);
		this.eventIds = new LinkedHashSet<>(eventIds);
	}

	/**
	 * Return which events failed.
	 * @return their ids
	 */
	public Set<String> eventIds() {
		return Set.copyOf(this.eventIds);
	}

}
