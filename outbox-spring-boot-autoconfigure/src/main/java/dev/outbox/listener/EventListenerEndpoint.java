package dev.outbox.listener;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import dev.outbox.EventListener;

import org.springframework.util.Assert;

/**
 * An {@link EventListener} that was registered by hand.
 */
final class EventListenerEndpoint implements ListenerEndpoint {

	private final Subscription subscription;

	private final EventListener listener;

	EventListenerEndpoint(Subscription subscription, EventListener listener) {
		this.subscription = subscription;
		this.listener = listener;
	}

	@Override
	public String id() {
		return ListenerId.from(this.subscription.toString());
	}

	@Override
	public boolean hasOwnId() {
		return false;
	}

	@Override
	public Set<Subscription> subscriptions() {
		return Set.of(this.subscription);
	}

	@Override
	public ListenerSettings settings() {
		return ListenerSettings.DEFAULTS;
	}

	@Override
	public boolean isBatch() {
		return false;
	}

	@Override
	public boolean isAsync() {
		return false;
	}

	@Override
	public CompletionStage<List<DeliveryResult>> call(List<Delivery> deliveries) {
		Assert.isTrue(deliveries.size() == 1, "This listener takes one event at a time");
		return CompletableFuture.completedFuture(List.of(deliver(deliveries.get(0))));
	}

	private DeliveryResult deliver(Delivery delivery) {
		try {
			this.listener.onEvent(delivery.envelope());
			return Answers.returned(null);
		}
		catch (Throwable ex) {
			return Answers.thrown(ex);
		}
	}

	@Override
	public String toString() {
		return this.listener.getClass().getName();
	}

}
