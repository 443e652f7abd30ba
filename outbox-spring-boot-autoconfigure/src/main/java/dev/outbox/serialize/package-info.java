/**
 * Turns objects into payloads and back, and knows the logical names of their types.
 */
@NullMarked
package dev.outbox.serialize;

import org.jspecify.annotations.NullMarked;
