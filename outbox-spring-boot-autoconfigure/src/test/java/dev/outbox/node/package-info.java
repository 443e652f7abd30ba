/**
 * Tests of the node table.
 */
@NullMarked
package dev.outbox.node;

import org.jspecify.annotations.NullMarked;
