/**
 * Delivers claimed events: hot and cold queue, workers, and one attempt from claim to
 * settled.
 */
@NullMarked
package dev.outbox.dispatch;

import org.jspecify.annotations.NullMarked;
