/**
 * The only place that reads and writes event rows, split by use: append, claim, settle,
 * and what operators do.
 */
@NullMarked
package dev.outbox.store;

import org.jspecify.annotations.NullMarked;
