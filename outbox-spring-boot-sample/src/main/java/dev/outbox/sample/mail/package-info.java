/**
 * Confirming orders by mail: an effect outside of the database, so it may happen again.
 */
@NullMarked
package dev.outbox.sample.mail;

import org.jspecify.annotations.NullMarked;
