/**
 * Writes events inside the caller's transaction.
 */
@NullMarked
package dev.outbox.write;

import org.jspecify.annotations.NullMarked;
