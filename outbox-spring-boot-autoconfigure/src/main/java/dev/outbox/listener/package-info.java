/**
 * Finds and calls the methods that listen to events.
 */
@NullMarked
package dev.outbox.listener;

import org.jspecify.annotations.NullMarked;
