/**
 * Planning shipments of orders: an effect in the same database, so it happens exactly
 * once.
 */
@NullMarked
package dev.outbox.sample.fulfilment;

import org.jspecify.annotations.NullMarked;
