package dev.outbox.listener;

import java.time.Duration;

/**
 * How the call of a listener ended for one event.
 */
public sealed interface DeliveryResult {

	/**
	 * The listener has handled the event.
	 */
	record Done() implements DeliveryResult {

	}

	/**
	 * The listener wants the event again later, without counting this attempt.
	 *
	 * @param delay how long to wait
	 */
	record RetryAfter(Duration delay) implements DeliveryResult {

	}

	/**
	 * The listener has not handled the event.
	 *
	 * @param cause why: an exception or an error, of the listener itself or from before
	 * it could be called
	 */
	record Failed(Throwable cause) implements DeliveryResult {

	}

}
