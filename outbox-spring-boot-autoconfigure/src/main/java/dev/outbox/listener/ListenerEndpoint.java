package dev.outbox.listener;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * A listener as the dispatcher sees it.
 */
public interface ListenerEndpoint {

	/**
	 * Return the name under which the outbox remembers what this listener has done.
	 * @return the id, the same after every start
	 */
	String id();

	/**
	 * Return whether the id was given on purpose. Only then may another listener take the
	 * same events.
	 * @return whether it is not merely derived
	 */
	boolean hasOwnId();

	/**
	 * Return which events it takes.
	 * @return at least one subscription
	 */
	Set<Subscription> subscriptions();

	/**
	 * Return how it wants to be called.
	 * @return the settings
	 */
	ListenerSettings settings();

	/**
	 * Return whether it takes many events with one call.
	 * @return whether {@link #call(List)} may get more than one delivery
	 */
	boolean isBatch();

	/**
	 * Return whether the listener may go on after {@link #call(List)} has returned.
	 * @return whether the stage may complete later
	 */
	default boolean isAsync() {
		return true;
	}

	/**
	 * Call the listener. Whatever goes wrong, errors included, becomes a result: neither
	 * does this method throw nor does the stage fail.
	 * @param deliveries the events; exactly one unless this is a {@linkplain #isBatch()
	 * listener for lists}
	 * @return completes with one result for each delivery, in their order; already
	 * complete unless the listener is asynchronous
	 */
	CompletionStage<List<DeliveryResult>> call(List<Delivery> deliveries);

}
