package dev.outbox.dead;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A piece of a longer list of dead events.
 *
 * @param events the events
 * @param next the cursor to go on with, or {@code null} at the end
 */
public record DeadEventPage(List<DeadEvent> events, @Nullable String next) {

	public DeadEventPage {
		events = List.copyOf(events);
	}

}
