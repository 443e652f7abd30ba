/**
 * Tests of what is left of the guarantees when processes, connections and databases fail.
 */
@NullMarked
package dev.outbox.faults;

import org.jspecify.annotations.NullMarked;
