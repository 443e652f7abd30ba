/**
 * The contract kit: what every database must do with event rows, split by topic.
 */
@NullMarked
package dev.outbox.store;

import org.jspecify.annotations.NullMarked;
