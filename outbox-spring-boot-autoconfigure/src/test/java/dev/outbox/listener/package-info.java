/**
 * Which methods are listeners, and what becomes of a call.
 */
@NullMarked
package dev.outbox.listener;

import org.jspecify.annotations.NullMarked;
