package dev.outbox.store;

import java.time.Duration;

/**
 * How one attempt to deliver an event ended.
 */
public sealed interface Outcome {

	/**
	 * Every listener has had the event.
	 */
	record Done() implements Outcome {

	}

	/**
	 * The attempt failed and is repeated.
	 *
	 * @param delay how long to wait, by the database's clock
	 * @param error why it failed
	 */
	record Retry(Duration delay, String error) implements Outcome {

	}

	/**
	 * The listener asked for the event to come back later; no attempt is counted.
	 *
	 * @param delay how long to wait, by the database's clock
	 */
	record Deferred(Duration delay) implements Outcome {

	}

	/**
	 * The event is given up.
	 *
	 * @param error why
	 */
	record Dead(String error) implements Outcome {

	}

}
