package dev.outbox.listener;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.outbox.AggregateType;
import dev.outbox.EventListener;
import dev.outbox.EventType;

import org.springframework.util.Assert;

/**
 * The listeners of one outbox. Listeners may be added at any time, by any thread.
 * <p>
 * Who gets an event is decided by how closely a listener names it: if there are listeners
 * for exactly its aggregate type and event type, all of these get it, and nobody else; if
 * there are none, all listeners for its event type and any aggregate type get it. So a
 * listener that names the aggregate type is the exception to a general one, whatever
 * their ids. Several listeners may name the same events in the same way if each has an id
 * of its own; otherwise the second one is refused.
 */
public final class ListenerRegistry {

	private final Object registration = new Object();

	private volatile State state = new State(Map.of(), Map.of());

	/**
	 * Add a listener.
	 * @param endpoint the listener
	 * @throws DuplicateListenerException if it cannot be told apart from another one;
	 * then it gets no events at all
	 */
	public void register(ListenerEndpoint endpoint) {
		ListenerId.check(endpoint.id());
		Assert.notEmpty(endpoint.subscriptions(), "A listener must listen to something");
		synchronized (this.registration) {
			this.state = this.state.with(endpoint);
		}
	}

	/**
	 * Add a listener for events of any aggregate type.
	 * @param eventType the name of the event type
	 * @param listener the listener
	 */
	public void register(String eventType, EventListener listener) {
		register(new Subscription(null, EventType.of(eventType).name()), listener);
	}

	/**
	 * Add a listener for events of one aggregate type.
	 * @param aggregateType the name of the aggregate type
	 * @param eventType the name of the event type
	 * @param listener the listener
	 */
	public void register(String aggregateType, String eventType, EventListener listener) {
		register(new Subscription(AggregateType.of(aggregateType).name(), EventType.of(eventType).name()), listener);
	}

	/**
	 * Add a listener for events of one aggregate type.
	 * @param aggregateType the aggregate type
	 * @param eventType the event type
	 * @param listener the listener
	 */
	public void register(AggregateType aggregateType, EventType eventType, EventListener listener) {
		register(aggregateType.name(), eventType.name(), listener);
	}

	private void register(Subscription subscription, EventListener listener) {
		register(new EventListenerEndpoint(subscription, listener));
	}

	/**
	 * Return who gets an event.
	 * @param aggregateType the name of its aggregate type
	 * @param eventType the name of its type
	 * @return the listeners in the order of their registration; empty if nobody listens
	 */
	public List<ListenerEndpoint> endpointsFor(String aggregateType, String eventType) {
		Map<Subscription, List<ListenerEndpoint>> bySubscription = this.state.bySubscription();
		List<ListenerEndpoint> exact = bySubscription.get(new Subscription(aggregateType, eventType));
		return (exact != null) ? exact : bySubscription.getOrDefault(new Subscription(null, eventType), List.of());
	}

	/**
	 * Return what is listened to.
	 * @return the subscriptions of all listeners
	 */
	public Set<Subscription> subscriptions() {
		return this.state.bySubscription().keySet();
	}

	/**
	 * Return the listeners.
	 * @return all of them, in the order of their registration
	 */
	public Collection<ListenerEndpoint> endpoints() {
		return this.state.byId().values();
	}

	/**
	 * All listeners at one moment; never changed, so that readers need no lock.
	 *
	 * @param byId the listeners by their id
	 * @param bySubscription the listeners by what they take
	 */
	private record State(Map<String, ListenerEndpoint> byId, Map<Subscription, List<ListenerEndpoint>> bySubscription) {

		State {
			byId = Collections.unmodifiableMap(byId);
			bySubscription = Collections.unmodifiableMap(bySubscription);
		}

		State with(ListenerEndpoint added) {
			Map<Subscription, List<ListenerEndpoint>> subscribed = new LinkedHashMap<>(this.bySubscription);
			for (Subscription subscription : added.subscriptions()) {
				List<ListenerEndpoint> others = new ArrayList<>(subscribed.getOrDefault(subscription, List.of()));
				for (ListenerEndpoint other : others) {
					if (!other.hasOwnId() || !added.hasOwnId()) {
						throw DuplicateListenerException.sameEvents(subscription, other, added);
					}
				}
				others.add(added);
				subscribed.put(subscription, List.copyOf(others));
			}
			Map<String, ListenerEndpoint> identified = new LinkedHashMap<>(this.byId);
			ListenerEndpoint other = identified.putIfAbsent(added.id(), added);
			if (other != null) {
				throw DuplicateListenerException.sameId(other, added);
			}
			return new State(identified, subscribed);
		}

	}

}
