/**
 * Background duties, one class each, and what starts and stops them.
 */
@NullMarked
package dev.outbox.relay;

import org.jspecify.annotations.NullMarked;
