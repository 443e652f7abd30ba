package dev.outbox.listener;

import dev.outbox.OutboxEvent;

@OutboxEvent(aggregateType = "Order")
record OrderPlaced(String orderId) {

}
