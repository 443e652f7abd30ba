package dev.outbox.store;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of an attempt, to be recorded if its claim still holds.
 *
 * @param claim the claim under which the attempt was made
 * @param outcome how it ended
 * @param attempts how many attempts have been counted now; a delivered event keeps what
 * it has
 * @param progress which of several listeners have had the event, if there are several; a
 * delivered event keeps what it has
 */
public record Settlement(Claim claim, Outcome outcome, int attempts, @Nullable String progress) {

}
