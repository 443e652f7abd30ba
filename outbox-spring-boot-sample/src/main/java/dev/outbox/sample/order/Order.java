package dev.outbox.sample.order;

import java.time.Instant;

/**
 * An order as it is stored and shown.
 *
 * @param id its id
 * @param item what was ordered
 * @param quantity how many of it
 * @param placedAt when it was placed, in milliseconds
 */
record Order(String id, String item, int quantity, Instant placedAt) {

}
