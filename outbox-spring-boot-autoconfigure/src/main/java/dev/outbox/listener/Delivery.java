package dev.outbox.listener;

import dev.outbox.EventEnvelope;

/**
 * One event on its way to a listener.
 *
 * @param envelope the event
 * @param attempt which attempt this is, counted from 1
 */
public record Delivery(EventEnvelope envelope, int attempt) {

}
