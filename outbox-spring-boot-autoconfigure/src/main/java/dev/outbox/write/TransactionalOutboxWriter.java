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
import dev.outbox.WriterHook;
import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.serialize.EventDescriptor;
import dev.outbox.serialize.EventSerializer;
import dev.outbox.serialize.EventTypes;
import dev.outbox.store.EventAppender;
import dev.outbox.store.NewEvent;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.ConfigurableTransactionManager;

/**
 * Writes events with the connection of the caller's transaction.
 * <ol>
 * <li>Require a transaction that will do, and join its scope.
 * <li>Turn objects into envelopes, let the hooks have their say, check sizes.
 * <li>Ask the hand-over for a place for each event. One that has a place is born claimed
 * by this node, so that no poller races for it; one that has none is left to the pollers.
 * Either way the transaction's scope remembers it for what follows the commit or the
 * rollback.
 * <li>Insert with one statement.
 * </ol>
 * If any of this throws, the transaction is poisoned before the exception goes on.
 */
public final class TransactionalOutboxWriter implements OutboxWriter {

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

	/**
	 * Make the writer of an outbox.
	 * @param outbox the name of the outbox
	 * @param database where its tables are
	 * @param content turns objects into events
	 * @param rules what events may look like
	 * @param handOver takes events over after the commit
	 * @return the writer
	 */
	public static TransactionalOutboxWriter of(String outbox, OutboxDatabase database, Content content, Rules rules,
			HandOver handOver) {
		WriterHooks hooks = new WriterHooks(outbox, content.hooks());
		return new TransactionalOutboxWriter(new CallerTransaction(outbox, database.dataSource(), hooks, handOver),
				new EventAppender(database), content.types(), content.serializer(), hooks,
				EventLimits.of(rules.limits()), rules.partitioner(), rules.partitions().count());
	}

	/**
	 * Watch the transactions of a manager, so that none is committed in which a write
	 * failed.
	 * @param manager the transaction manager
	 */
	public void watch(ConfigurableTransactionManager manager) {
		this.caller.watch(manager);
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
		int[] partitions = new int[written.size()];
		for (int i = 0; i < partitions.length; i++) {
			this.limits.check(written.get(i));
			partitions[i] = partition(written.get(i));
		}
		List<WrittenEvent> entered = scope.enter(written);
		List<NewEvent> rows = new ArrayList<>(partitions.length);
		for (int i = 0; i < partitions.length; i++) {
			rows.add(new NewEvent(written.get(i), partitions[i], entered.get(i).owner()));
		}
		try {
			transaction
				.withConnection((connection) -> this.appender.append(connection, transaction.dataSource(), rows));
		}
		catch (RuntimeException | Error ex) {
			scope.withdraw(entered);
			throw ex;
		}
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
	 * What turns objects into events.
	 *
	 * @param types the known event classes
	 * @param serializer writes payloads
	 * @param hooks what has a say in each write, in order
	 */
	public record Content(EventTypes types, EventSerializer serializer, List<WriterHook> hooks) {

	}

	/**
	 * What events may look like.
	 *
	 * @param limits their sizes
	 * @param partitioner their partitions
	 * @param partitions how many partitions there are
	 */
	public record Rules(WriteProperties limits, Partitioner partitioner, PartitionsProperties partitions) {

	}

	/**
	 * A type and a payload that become an event within the write, so that what is wrong
	 * with them fails the write.
	 */
	private record Draft(Supplier<String> eventType, String payloadJson) {

	}

}
