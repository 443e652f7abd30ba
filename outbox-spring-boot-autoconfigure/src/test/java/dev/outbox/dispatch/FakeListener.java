package dev.outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import dev.outbox.listener.Delivery;
import dev.outbox.listener.DeliveryResult;
import dev.outbox.listener.ListenerEndpoint;
import dev.outbox.listener.ListenerSettings;
import dev.outbox.listener.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * A listener with an id of its own.
 */
record FakeListener(String id, ListenerSettings settings,
		Function<List<Delivery>, CompletionStage<List<DeliveryResult>>> work) implements ListenerEndpoint {

	static FakeListener called(String id) {
		return new FakeListener(id, ListenerSettings.DEFAULTS, (deliveries) -> {
			throw new UnsupportedOperationException();
		});
	}

	static ListenerSettings settings(@Nullable Integer maxAttempts, @Nullable Duration initialDelay,
			@Nullable Duration maxDelay, List<Class<? extends Throwable>> noRetryFor) {
		return new ListenerSettings(maxAttempts, initialDelay, maxDelay, null, noRetryFor, false, 100, Duration.ZERO,
				256);
	}

	FakeListener with(ListenerSettings other) {
		return new FakeListener(this.id, other, this.work);
	}

	@Override
	public boolean hasOwnId() {
		return true;
	}

	@Override
	public Set<Subscription> subscriptions() {
		return Set.of(new Subscription(null, "thing.happened"));
	}

	@Override
	public boolean isBatch() {
		return false;
	}

	@Override
	public CompletionStage<List<DeliveryResult>> call(List<Delivery> deliveries) {
		return this.work.apply(deliveries);
	}

}
