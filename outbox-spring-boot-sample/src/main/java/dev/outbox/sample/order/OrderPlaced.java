package dev.outbox.sample.order;

import dev.outbox.OutboxEvent;

/**
 * The event that an order was placed. Public, because other features listen to it.
 *
 * @param orderId the order's id
 * @param item what was ordered
 * @param quantity how many of it
 */
@OutboxEvent(aggregateType = "Order", aggregateId = "orderId")
public record OrderPlaced(String orderId, String item, int quantity) {

}
