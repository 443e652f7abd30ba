/**
 * Tests of the background duties.
 */
@NullMarked
package dev.outbox.relay;

import org.jspecify.annotations.NullMarked;
