/**
 * Tests of the delivery of what a node has claimed.
 */
@NullMarked
package dev.outbox.dispatch;

import org.jspecify.annotations.NullMarked;
