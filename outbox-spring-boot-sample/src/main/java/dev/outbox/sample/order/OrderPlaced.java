package dev.outbox.sample.order;

import dev.outbox.OutboxEvent;

/**
 * The event that an order was placed.
 *
 * @param orderId the order's id
 * @param item what was ordered
 * @param quantity how many of it
 */
@OutboxEvent(aggregateType = "Order", aggregateId = "orderId")
record OrderPlaced(String orderId, String item, int quantity) {

}
