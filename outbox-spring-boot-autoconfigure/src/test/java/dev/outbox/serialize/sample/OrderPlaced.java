package dev.outbox.serialize.sample;

import dev.outbox.OutboxEvent;

/**
 * An event to be found by scanning.
 *
 * @param orderId the aggregate's id
 */
@OutboxEvent(aggregateId = "orderId")
public record OrderPlaced(String orderId) {

	/**
	 * Nested, not public and under another name.
	 */
	@OutboxEvent("order.cancelled")
	static class Cancelled {

	}

	/**
	 * Cannot be instantiated, but its subclasses count as it.
	 */
	@OutboxEvent
	abstract static class Reminder {

	}

	/**
	 * No event.
	 */
	static class Draft {

	}

}
