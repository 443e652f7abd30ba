/**
 * What an application imports: the writer, the event envelope, annotations and ports.
 */
@NullMarked
package dev.outbox;

import org.jspecify.annotations.NullMarked;
