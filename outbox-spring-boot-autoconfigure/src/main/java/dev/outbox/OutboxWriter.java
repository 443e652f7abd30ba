package dev.outbox;

import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Writes events in the caller's transaction: an event is in the outbox exactly when that
 * transaction commits.
 * <p>
 * A write needs a transaction of the outbox's own DataSource that is active and not
 * read-only; otherwise it throws {@link OutboxTransactionException}. Whatever a write
 * throws, the transaction cannot be committed afterwards, unless it is rolled back to a
 * savepoint taken before that write: swallowing the exception does not lose the event.
 * <p>
 * Inside an after-commit callback of another transaction, write in a transaction of its
 * own ({@code REQUIRES_NEW}).
 */
public interface OutboxWriter {

	/**
	 * Write an event.
	 * @param event the event
	 * @return the event's id, or {@code null} if a {@link WriterHook} suppressed it
	 */
	@Nullable String write(EventEnvelope event);

	/**
	 * Write an object whose class is annotated with {@link OutboxEvent}.
	 * @param event the object, or an {@link EventEnvelope}
	 * @return the event's id, or {@code null} if a {@link WriterHook} suppressed it
	 */
	@Nullable String write(Object event);

	/**
	 * Write an event that has a type, a JSON payload and defaults otherwise.
	 * @param eventType the name of the event type
	 * @param payloadJson the payload
	 * @return the event's id, or {@code null} if a {@link WriterHook} suppressed it
	 */
	@Nullable String write(String eventType, String payloadJson);

	/**
	 * Write an event that has a type, a JSON payload and defaults otherwise.
	 * @param eventType the event type
	 * @param payloadJson the payload
	 * @return the event's id, or {@code null} if a {@link WriterHook} suppressed it
	 */
	@Nullable String write(EventType eventType, String payloadJson);

	/**
	 * Write several events with one statement, in the given order.
	 * @param events envelopes, objects annotated with {@link OutboxEvent}, or both
	 * @return the ids of the events written, empty if a {@link WriterHook} suppressed all
	 */
	List<String> writeAll(Collection<?> events);

}
