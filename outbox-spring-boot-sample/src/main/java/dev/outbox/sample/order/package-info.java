/**
 * Placing and listing orders.
 */
@NullMarked
package dev.outbox.sample.order;

import org.jspecify.annotations.NullMarked;
