package dev.outbox.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.outbox.EventEnvelope;
import dev.outbox.EventListener;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A listener that remembers how often it was called with which event.
 */
final class DeliveryLog implements EventListener {

	private final Map<String, Integer> calls = new ConcurrentHashMap<>();

	@Override
	public void onEvent(EventEnvelope event) {
		this.calls.merge(event.eventId(), 1, Integer::sum);
	}

	/**
	 * Return how often it was called with an event.
	 */
	int calls(String eventId) {
		return this.calls.getOrDefault(eventId, 0);
	}

	/**
	 * Return how often it was called at all.
	 */
	int calls() {
		return this.calls.values().stream().mapToInt(Integer::intValue).sum();
	}

	/**
	 * Return the events it was called with.
	 */
	Set<String> events() {
		return Set.copyOf(this.calls.keySet());
	}

	/**
	 * Return how many events it was called with.
	 */
	int size() {
		return this.calls.size();
	}

	/**
	 * Wait until it has been called with events.
	 */
	void await(Collection<String> eventIds) {
		Set<String> wanted = Set.copyOf(eventIds);
		Awaitility.await()
			.atMost(Duration.ofMinutes(2))
			.pollInterval(Duration.ofMillis(10))
			.until(() -> this.calls.keySet().containsAll(wanted));
	}

	/**
	 * Wait until it has been called with an event.
	 */
	void await(String eventId) {
		await(List.of(eventId));
	}

	/**
	 * See that it was called with these events, and with each of them only once.
	 */
	void assertOnceEach(Collection<String> eventIds) {
		assertThat(this.calls).containsOnlyKeys(eventIds);
		assertThat(this.calls).allSatisfy((id, count) -> assertThat(count).as(id).isEqualTo(1));
	}

}
