/**
 * A small order service that shows the outbox at work.
 */
@NullMarked
package dev.outbox.sample;

import org.jspecify.annotations.NullMarked;
