/**
 * Tests of outboxes as a whole.
 */
@NullMarked
package dev.outbox.engine;

import org.jspecify.annotations.NullMarked;
