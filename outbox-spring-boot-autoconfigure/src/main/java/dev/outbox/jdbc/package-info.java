/**
 * Which database it is, which tables there are, and how they come into being.
 */
@NullMarked
package dev.outbox.jdbc;

import org.jspecify.annotations.NullMarked;
