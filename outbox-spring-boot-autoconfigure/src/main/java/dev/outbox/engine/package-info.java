/**
 * Puts the parts of an outbox together.
 */
@NullMarked
package dev.outbox.engine;

import org.jspecify.annotations.NullMarked;
