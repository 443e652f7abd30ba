package dev.outbox.listener;

import dev.outbox.OutboxEvent;

@OutboxEvent("order.cancelled")
record OrderCancelled(String orderId) {

}
