package dev.outbox.dispatch;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.outbox.listener.ListenerEndpoint;
import dev.outbox.listener.ListenerRegistry;
import dev.outbox.listener.ListenerSettings;
import dev.outbox.listener.Subscription;
import dev.outbox.retry.Breaker;
import dev.outbox.retry.BreakerProperties;
import dev.outbox.retry.OutageClassifier;
import dev.outbox.retry.RetryPolicy;
import dev.outbox.retry.RetryProperties;
import dev.outbox.store.EventRoute;
import dev.outbox.store.EventSelection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners with their guards, and which kinds of events this node should claim for
 * them: those of closed breakers freely, those of an open one singly when its next probe
 * is due.
 */
final class ListenerGuards {

	private static final Logger logger = LoggerFactory.getLogger(ListenerGuards.class);

	private static final Duration WITHOUT_POLICY = Duration.ofMinutes(1);

	private static final Duration LONGEST = Duration.ofDays(36500);

	private final String outbox;

	private final ListenerRegistry registry;

	private final RetryProperties retry;

	private final RetryPolicy policy;

	private final BreakerProperties breaker;

	private final OutageClassifier classifier;

	private final Runnable onReady;

	private final Map<String, ListenerGuard> guards = new ConcurrentHashMap<>();

	ListenerGuards(String outbox, ListenerRegistry registry, RetryProperties retry, RetryPolicy policy,
			BreakerProperties breaker, OutageClassifier classifier, Runnable onReady) {
		this.outbox = outbox;
		this.registry = registry;
		this.retry = retry;
		this.policy = (attempts) -> delay(policy, attempts);
		this.breaker = breaker;
		this.classifier = (failure) -> mayBeOutage(classifier, failure);
		this.onReady = onReady;
	}

	List<ListenerGuard> forEvent(String aggregateType, String eventType) {
		return this.registry.endpointsFor(aggregateType, eventType).stream().map(this::of).toList();
	}

	/**
	 * Return whether all listeners of an event would be called now.
	 */
	boolean areReady(String aggregateType, String eventType) {
		List<ListenerEndpoint> endpoints = this.registry.endpointsFor(aggregateType, eventType);
		for (ListenerEndpoint endpoint : endpoints) {
			if (!of(endpoint).isOpenForMore()) {
				return false;
			}
		}
		return !endpoints.isEmpty();
	}

	EventSelection ready() {
		return EventSelection.only(
				routes(this.registry.endpoints().stream().filter((endpoint) -> of(endpoint).isOpenForMore()).toList()));
	}

	EventSelection allButWaiting() {
		return EventSelection.allExcept(routes(
				this.registry.endpoints().stream().filter((endpoint) -> !of(endpoint).isOpenForMore()).toList()));
	}

	List<EventSelection> probes() {
		return this.registry.endpoints()
			.stream()
			.filter((endpoint) -> !of(endpoint).breaker().isClosed() && of(endpoint).breaker().probeDue())
			.map((endpoint) -> EventSelection.only(routes(List.of(endpoint))))
			.toList();
	}

	EventSelection unroutable() {
		return EventSelection.allExcept(routes(this.registry.endpoints()));
	}

	private static Set<EventRoute> routes(Collection<ListenerEndpoint> endpoints) {
		Set<EventRoute> routes = new HashSet<>();
		for (ListenerEndpoint endpoint : endpoints) {
			for (Subscription subscription : endpoint.subscriptions()) {
				routes.add(new EventRoute(subscription.aggregateType(), subscription.eventType()));
			}
		}
		return routes;
	}

	private ListenerGuard of(ListenerEndpoint endpoint) {
		return this.guards.computeIfAbsent(endpoint.id(), (id) -> guard(endpoint));
	}

	private ListenerGuard guard(ListenerEndpoint endpoint) {
		ListenerSettings settings = endpoint.settings();
		RetryProperties rules = rules(settings);
		boolean ownDelays = settings.initialDelay() != null || settings.maxDelay() != null
				|| settings.multiplier() != null;
		return new ListenerGuard(endpoint, rules.maxAttempts(), ownDelays ? rules.policy() : this.policy,
				new Breaker(this.breaker, System::nanoTime, (opened) -> changed(endpoint.id(), opened)),
				this.classifier, new Places(endpoint.isAsync() ? settings.maxInFlight() : Integer.MAX_VALUE),
				new AtomicBoolean());
	}

	/**
	 * Return the rules of a listener. Where it wants only one of the two times otherwise,
	 * the outbox's other one makes way for it: it would be too late to refuse them now.
	 */
	private RetryProperties rules(ListenerSettings settings) {
		Duration first = settings.initialDelay();
		Duration longest = settings.maxDelay();
		if (first != null && longest == null && first.compareTo(this.retry.maxDelay()) > 0) {
			longest = first;
		}
		else if (longest != null && first == null && longest.compareTo(this.retry.initialDelay()) < 0) {
			first = longest;
		}
		return this.retry.withOverrides(settings.maxAttempts(), first, longest, settings.multiplier());
	}

	/**
	 * Ask a policy of the application. Whatever it does must not cost the event its
	 * outcome.
	 */
	private Duration delay(RetryPolicy given, int attempts) {
		try {
			Duration delay = given.delay(attempts);
			if (delay.isNegative()) {
				return Duration.ZERO;
			}
			return (delay.compareTo(LONGEST) > 0) ? LONGEST : delay;
		}
		catch (Throwable ex) {
			logger.error("{}: the retry policy failed, so the next attempt is made after {}", this.outbox,
					WITHOUT_POLICY, ex);
			return WITHOUT_POLICY;
		}
	}

	private boolean mayBeOutage(OutageClassifier given, Throwable failure) {
		try {
			return given.mayBeOutage(failure);
		}
		catch (Throwable ex) {
			logger.error("{}: the outage classifier failed, so a failure is taken for the event's own", this.outbox,
					ex);
			return false;
		}
	}

	private void changed(String listener, boolean opened) {
		if (!opened) {
			logger.info("{}: listener {} works again, its events are delivered", this.outbox, listener);
			this.onReady.run();
		}
		else {
			logger.error(
					"{}: listener {} has failed with many events in a row, so its events wait and are not "
							+ "counted as tried; it is probed every {}",
					this.outbox, listener, this.breaker.probeInterval());
		}
	}

}
