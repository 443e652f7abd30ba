package dev.outbox;

/**
 * Takes one event at a time. For listeners that are registered by hand;
 * {@link OutboxListener} methods need no interface.
 */
@FunctionalInterface
public interface EventListener {

	/**
	 * Called after the transaction that wrote the event committed.
	 * @param event the event
	 * @throws RetryAfterException to get the event again later, without counting this
	 * attempt
	 * @throws Exception if the event could not be handled and must be tried again
	 */
	void onEvent(EventEnvelope event) throws Exception;

}
