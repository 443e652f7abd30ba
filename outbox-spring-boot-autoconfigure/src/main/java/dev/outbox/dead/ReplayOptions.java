package dev.outbox.dead;

import org.jspecify.annotations.Nullable;

/**
 * How dead events are delivered again.
 *
 * @param limit how many at most
 * @param perSecond how many in a second at most, or {@code null} for as fast as possible
 * @param dryRun whether they are only counted
 */
public record ReplayOptions(int limit, @Nullable Integer perSecond, boolean dryRun) {

	public ReplayOptions {
		if (limit < 1) {
			throw new IllegalArgumentException("The limit must be at least 1, but is " + limit);
		}
		if (perSecond != null && perSecond < 1) {
			throw new IllegalArgumentException("The rate must be at least 1 per second, but is " + perSecond);
		}
	}

	/**
	 * Replay up to a number of events as fast as possible.
	 * @param limit how many at most
	 * @return the options
	 */
	public static ReplayOptions upTo(int limit) {
		return new ReplayOptions(limit, null, false);
	}

	/**
	 * Return these options with a rate. The call then takes as long as the rate demands.
	 * @param perSecond how many in a second at most
	 * @return the options
	 */
	public ReplayOptions withRate(int perSecond) {
		return new ReplayOptions(this.limit, perSecond, this.dryRun);
	}

	/**
	 * Return these options, but without changing anything.
	 * @return the options
	 */
	public ReplayOptions asDryRun() {
		return new ReplayOptions(this.limit, this.perSecond, true);
	}

}
