/**
 * Checks of the model of the delivery protocol, which is in {@code src/test/tla}.
 */
@NullMarked
package dev.outbox.model;

import org.jspecify.annotations.NullMarked;
