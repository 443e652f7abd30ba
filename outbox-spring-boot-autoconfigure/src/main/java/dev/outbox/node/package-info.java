/**
 * This node among the others: who is there, and who is alive.
 */
@NullMarked
package dev.outbox.node;

import org.jspecify.annotations.NullMarked;
