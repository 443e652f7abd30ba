/**
 * Real databases for the tests: taken from Docker where there is one, else started from
 * binaries that Maven brings.
 */
@NullMarked
package dev.outbox.testsupport;

import org.jspecify.annotations.NullMarked;
