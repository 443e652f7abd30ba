package dev.outbox.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.outbox.EventEnvelope;
import dev.outbox.store.EventAdmin;
import dev.outbox.store.EventRecord;
import dev.outbox.store.EventStatus;
import org.awaitility.Awaitility;

/**
 * The event table as a test looks at it.
 */
final class Rows {

	private final OutboxNodes nodes;

	private final EventAdmin admin;

	Rows(OutboxNodes nodes, Outbox outbox) {
		this.nodes = nodes;
		this.admin = new EventAdmin(outbox.database());
	}

	EventRecord get(String eventId) {
		return Objects.requireNonNull(this.admin.get(eventId), eventId);
	}

	boolean has(String eventId) {
		return this.admin.get(eventId) != null;
	}

	EventAdmin admin() {
		return this.admin;
	}

	/**
	 * Wait until an event has a status and nobody owns it any more.
	 */
	EventRecord await(String eventId, EventStatus status) {
		Awaitility.await().pollInterval(Duration.ofMillis(10)).atMost(Duration.ofSeconds(30)).until(() -> {
			EventRecord row = get(eventId);
			return row.status() == status && row.owner() == null;
		});
		return get(eventId);
	}

	/**
	 * Wait until nothing is left to be delivered.
	 */
	void awaitAllFinished() {
		Awaitility.await()
			.atMost(Duration.ofMinutes(2))
			.pollInterval(Duration.ofMillis(10))
			.until(() -> this.nodes.count("status IN (0, 2)") == 0);
	}

	/**
	 * Write one event in a transaction of its own.
	 */
	String write(Outbox node, String eventType) {
		return write(node, EventEnvelope.ofJson(eventType, "{}"));
	}

	/**
	 * Write one event in a transaction of its own.
	 */
	String write(Outbox node, EventEnvelope event) {
		return Objects.requireNonNull(this.nodes.transactions().execute((status) -> node.writer().write(event)));
	}

	/**
	 * Write events in one transaction with one statement.
	 */
	List<String> write(Outbox node, String eventType, int count) {
		List<EventEnvelope> events = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			events.add(EventEnvelope.ofJson(eventType, "{}"));
		}
		return Objects.requireNonNull(this.nodes.transactions().execute((status) -> node.writer().writeAll(events)));
	}

}
