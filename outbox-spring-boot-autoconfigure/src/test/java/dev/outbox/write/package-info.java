/**
 * Tests of the writer within all kinds of transactions.
 */
@NullMarked
package dev.outbox.write;

import org.jspecify.annotations.NullMarked;
