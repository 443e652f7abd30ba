/**
 * When to try again, when to stop, and when to pause.
 */
@NullMarked
package dev.outbox.retry;

import org.jspecify.annotations.NullMarked;
