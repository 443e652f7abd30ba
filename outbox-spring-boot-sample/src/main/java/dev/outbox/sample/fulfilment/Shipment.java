package dev.outbox.sample.fulfilment;

import java.time.Instant;

/**
 * A shipment as it is stored and shown.
 *
 * @param id its id
 * @param orderId the order to be shipped
 * @param item what to ship
 * @param quantity how many of it
 * @param plannedAt when it was planned, in milliseconds
 */
record Shipment(String id, String orderId, String item, int quantity, Instant plannedAt) {

}
