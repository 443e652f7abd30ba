package dev.outbox.write;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxWriter;
import dev.outbox.Partitioner;
import dev.outbox.serialize.EventDescriptor;
import dev.outbox.serialize.EventSerializer;
import dev.outbox.serialize.EventTypes;
import dev.outbox.store.EventAppender;
import dev.outbox.store.NewEvent;
import org.jspecify.annotations.Nullable;

/**
 * Writes events with the connection of the caller's transaction.
 * <ol>
 * <li>Require a transaction that will do, and join its scope.
 * <li>Turn objects into envelopes, let the hooks have their say, check sizes.
 * <li>Insert with one statement.
 * <li>Remember the events for what follows the commit or the rollback.
 * </ol>
 * If any of this throws, the transaction is poisoned before the exception goes on.
 */
final class TransactionalOutboxWriter implements OutboxWriter {

	private final CallerTransaction caller;

	private final EventAppender appender;

	private final EventTypes types;

	private final EventSerializer serializer;

	private final WriterHooks hooks;

	private final EventLimits limits;

	private final Partitioner partitioner;

	private final int partitions;

	TransactionalOutboxWriter(CallerTransaction caller, EventAppender appender, EventTypes types,
			EventSerializer serializer, WriterHooks hooks, EventLimits limits, Partitioner partitioner,
			int partitions) {
		this.caller = caller;
		this.appender = appender;
		this.types = types;
		this.serializer = serializer;
		this.hooks = hooks;
		this.limits = limits;
		this.partitioner = partitioner;
		this.partitions = partitions;
	}

	@Override
	public @Nullable String write(EventEnvelope event) {
		return write((Object) event);
	}

	@Override
	public @Nullable String write(Object event) {
		List<String> ids = writeAll(Collections.singletonList(event));
		return ids.isEmpty() ? null : ids.get(0);
	}

	@Override
	public @Nullable String write(String eventType, String payloadJson) {
		return write(new Draft(() -> eventType, payloadJson));
	}

	@Override
	public @Nullable String write(EventType eventType, String payloadJson) {
		return write(new Draft(() -> eventType.name(), payloadJson));
	}

	@Override
	public List<String> writeAll(Collection<?> events) {
		try {
			return writeInTransaction(events);
		}
		catch (RuntimeException | Error ex) {
			this.caller.poison(ex);
			throw ex;
		}
	}

	private List<String> writeInTransaction(Collection<?> events) {
		BoundTransaction transaction = this.caller.require();
		TransactionScope scope = this.caller.scope();
		List<EventEnvelope> given = new ArrayList<>(events.size());
		for (Object event : events) {
			given.add(envelope(event));
		}
		List<EventEnvelope> written = this.hooks.beforeWrite(List.copyOf(given));
		if (written.isEmpty()) {
			return List.of();
		}
		List<NewEvent> rows = new ArrayList<>(written.size());
		for (EventEnvelope event : written) {
			this.limits.check(event);
			rows.add(new NewEvent(event, partition(event), null));
		}
		transaction.withConnection((connection) -> this.appender.append(connection, transaction.dataSource(), rows));
		scope.written(written);
		this.hooks.afterWrite(written);
		return written.stream().map(EventEnvelope::eventId).toList();
	}

	private EventEnvelope envelope(@Nullable Object event) {
		if (event == null) {
			throw new InvalidEventException("event", "must not be null");
		}
		if (event instanceof EventEnvelope envelope) {
			return envelope;
		}
		if (event instanceof Draft draft) {
			return EventEnvelope.ofJson(draft.eventType().get(), draft.payloadJson());
		}
		EventDescriptor descriptor = this.types.describe(event.getClass());
		if (descriptor == null) {
			throw new InvalidEventException("event",
					"is a %s, which is not annotated with @OutboxEvent. Annotate it or write an EventEnvelope"
						.formatted(event.getClass().getName()));
		}
		return descriptor.envelope(event, this.serializer.serialize(event));
	}

	private int partition(EventEnvelope event) {
		int partition = this.partitioner.partition(event, this.partitions);
		if (partition < 0 || partition >= this.partitions) {
			throw new IllegalStateException("%s returned partition %d of %d"
				.formatted(this.partitioner.getClass().getName(), partition, this.partitions));
		}
		return partition;
	}

	/**
	 * A type and a payload that become an event within the write, so that what is wrong
	 * with them fails the write.
	 */
	private record Draft(Supplier<String> eventType, String payloadJson) {

	}

}
