/**
 * Operators' view of dead events: find, replay, discard.
 */
@NullMarked
package dev.outbox.dead;

import org.jspecify.annotations.NullMarked;
