package dev.outbox.listener;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import dev.outbox.OutboxListener;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * An {@link OutboxListener} method.
 */
final class MethodEndpoint implements ListenerEndpoint {

	private final String id;

	private final boolean ownId;

	private final String outbox;

	private final Set<Subscription> subscriptions;

	private final ListenerSettings settings;

	private final ListenerMethod method;

	private final PayloadReader reader;

	private final BeanMethod target;

	MethodEndpoint(Identity identity, Set<Subscription> subscriptions, ListenerSettings settings, ListenerMethod method,
			PayloadReader reader, BeanMethod target) {
		this.id = identity.id();
		this.ownId = identity.own();
		this.outbox = identity.outbox();
		this.subscriptions = Set.copyOf(subscriptions);
		this.settings = settings;
		this.method = method;
		this.reader = reader;
		this.target = target;
	}

	@Override
	public String id() {
		return this.id;
	}

	@Override
	public boolean hasOwnId() {
		return this.ownId;
	}

	/**
	 * The name of the outbox to listen to, or an empty text for the auto-configured one.
	 */
	String outbox() {
		return this.outbox;
	}

	InvalidListenerException withoutOutbox(Set<String> outboxNames) {
		return new InvalidListenerException(this.method.type(), this.method.method(),
				"there is no outbox with the name '" + this.outbox + "'",
				"Define a bean of type Outbox with that name, or choose one of " + new TreeSet<>(outboxNames) + ".");
	}

	@Override
	public Set<Subscription> subscriptions() {
		return this.subscriptions;
	}

	@Override
	public ListenerSettings settings() {
		return this.settings;
	}

	@Override
	public boolean isBatch() {
		return this.method.isBatch();
	}

	@Override
	public boolean isAsync() {
		return this.method.isAsync();
	}

	@Override
	public CompletionStage<List<DeliveryResult>> call(List<Delivery> deliveries) {
		Assert.isTrue(isBatch() || deliveries.size() == 1, "This listener takes one event at a time");
		List<Delivery> readable = new ArrayList<>(deliveries.size());
		List<Object> events = new ArrayList<>(deliveries.size());
		Map<Delivery, DeliveryResult> unreadable = new HashMap<>();
		for (Delivery delivery : deliveries) {
			try {
				events.add(this.reader.read(delivery.envelope()));
				readable.add(delivery);
			}
			catch (Throwable ex) {
				unreadable.put(delivery, Answers.thrown(ex));
			}
		}
		CompletionStage<List<DeliveryResult>> results = events.isEmpty() ? CompletableFuture.completedFuture(List.of())
				: invoke(List.copyOf(events), List.copyOf(readable));
		return unreadable.isEmpty() ? results : results.thenApply((called) -> merge(deliveries, unreadable, called));
	}

	private CompletionStage<List<DeliveryResult>> invoke(List<Object> events, List<Delivery> deliveries) {
		try {
			Object event = isBatch() ? events : events.get(0);
			Object returned = this.target.invoke(this.method.arguments(event, deliveries));
			if (!this.method.isAsync()) {
				return CompletableFuture.completedFuture(answer(returned, deliveries));
			}
			if (returned instanceof CompletionStage<?> stage) {
				return stage.handle(
						(value, thrown) -> (thrown != null) ? failure(thrown, deliveries) : answer(value, deliveries));
			}
			throw new IllegalStateException(
					this + " returned null instead of a CompletionStage, so it is not known whether it is done");
		}
		catch (Throwable ex) {
			return CompletableFuture.completedFuture(failure(ex, deliveries));
		}
	}

	private List<DeliveryResult> answer(@Nullable Object value, List<Delivery> deliveries) {
		if (value == null && this.method.isAnswerRequired()) {
			return failure(
					new IllegalStateException(
							this + " returned null instead of a DispatchResult, so it is not known whether it is done"),
					deliveries);
		}
		return Answers.same(Answers.returned(value), deliveries);
	}

	private List<DeliveryResult> failure(Throwable thrown, List<Delivery> deliveries) {
		return isBatch() ? Answers.thrown(thrown, deliveries) : Answers.same(Answers.thrown(thrown), deliveries);
	}

	/**
	 * Put the results of the events that could be read between those that could not.
	 */
	private static List<DeliveryResult> merge(List<Delivery> deliveries, Map<Delivery, DeliveryResult> unreadable,
			List<DeliveryResult> called) {
		List<DeliveryResult> all = new ArrayList<>(deliveries.size());
		int next = 0;
		for (Delivery delivery : deliveries) {
			DeliveryResult failed = unreadable.get(delivery);
			all.add((failed != null) ? failed : called.get(next++));
		}
		return List.copyOf(all);
	}

	@Override
	public String toString() {
		return this.method.toString();
	}

	/**
	 * Who a listener is.
	 *
	 * @param id its id
	 * @param own whether the id was given on purpose
	 * @param outbox the name of its outbox, or an empty text
	 */
	record Identity(String id, boolean own, String outbox) {

	}

}
