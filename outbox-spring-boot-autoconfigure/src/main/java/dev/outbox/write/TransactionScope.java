package dev.outbox.write;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

import dev.outbox.EventEnvelope;
import dev.outbox.EventNotWrittenException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What the outbox knows about one transaction: the events written in it, and whether a
 * write failed. There is one per transaction, however many writes it has.
 * <p>
 * After a failed write the scope refuses the commit, from {@code beforeCommit} and so
 * with every transaction manager. The exception must be no {@code TransactionException}:
 * of those, Spring assumes that the rollback has been done.
 * <p>
 * Each write and each failure is a step; a rollback to a savepoint undoes the steps that
 * came after it. A savepoint that was not announced is older than the scope, so
 * everything came after it.
 */
final class TransactionScope implements TransactionSynchronization, Ordered {

	private static final Logger logger = LoggerFactory.getLogger(TransactionScope.class);

	private final Object key;

	private final String outbox;

	private final WriterHooks hooks;

	private final HandOver handOver;

	private final List<WrittenEvent> events = new ArrayList<>();

	private final Map<Object, Mark> savepoints = new IdentityHashMap<>();

	private int steps;

	private int places;

	private @Nullable Throwable failure;

	private int failureStep;

	private boolean completing;

	private TransactionScope(Object key, String outbox, WriterHooks hooks, HandOver handOver) {
		this.key = key;
		this.outbox = outbox;
		this.hooks = hooks;
		this.handOver = handOver;
	}

	/**
	 * Return the scope of the current transaction, which must have synchronization.
	 */
	static TransactionScope join(Object key, String outbox, WriterHooks hooks, HandOver handOver) {
		TransactionScope current = current(key);
		if (current != null) {
			return current;
		}
		TransactionScope scope = new TransactionScope(key, outbox, hooks, handOver);
		TransactionSynchronizationManager.registerSynchronization(scope);
		TransactionSynchronizationManager.bindResource(key, scope);
		return scope;
	}

	static @Nullable TransactionScope current(Object key) {
		return (TransactionScope) TransactionSynchronizationManager.getResource(key);
	}

	static EventNotWrittenException refusal(String outbox, Throwable failure) {
		return new EventNotWrittenException(
				"%s: this transaction is rolled back because an event of it could not be written: %s".formatted(outbox,
						failure.getMessage()),
				failure);
	}

	/**
	 * Make events part of the transaction before they are inserted, so that their places
	 * in the hand-over are freed however the transaction ends.
	 */
	List<WrittenEvent> enter(List<EventEnvelope> written) {
		this.steps++;
		List<WrittenEvent> entered = new ArrayList<>(written.size());
		try {
			for (EventEnvelope event : written) {
				Long owner = this.handOver.reserve(event, this.places);
				this.places += (owner != null) ? 1 : 0;
				entered.add(new WrittenEvent(event, owner));
			}
		}
		catch (RuntimeException | Error ex) {
			freePlaces(entered);
			throw ex;
		}
		this.events.addAll(entered);
		return entered;
	}

	/**
	 * Take out the events entered last, because they could not be inserted.
	 */
	void withdraw(List<WrittenEvent> entered) {
		this.events.subList(this.events.size() - entered.size(), this.events.size()).clear();
		freePlaces(entered);
	}

	void failed(Throwable cause) {
		if (this.failure == null) {
			this.failure = cause;
			this.failureStep = ++this.steps;
		}
	}

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		if (this.failure != null) {
			throw refusal(this.outbox, this.failure);
		}
	}

	@Override
	public void beforeCompletion() {
		this.completing = true;
	}

	/**
	 * A scope that was joined while the commit was under way, by what JPA flushes then,
	 * hears of it here for the first time.
	 */
	@Override
	public void afterCommit() {
		this.completing = true;
	}

	@Override
	public void savepoint(Object savepoint) {
		this.savepoints.put(savepoint, new Mark(this.steps, this.events.size()));
	}

	@Override
	public void savepointRollback(Object savepoint) {
		Mark mark = this.savepoints.getOrDefault(savepoint, Mark.START);
		if (this.failureStep > mark.step()) {
			this.failure = null;
		}
		List<WrittenEvent> undone = this.events.subList(Math.min(mark.size(), this.events.size()), this.events.size());
		if (!undone.isEmpty()) {
			List<WrittenEvent> rolledBack = List.copyOf(undone);
			undone.clear();
			cancel(rolledBack);
		}
	}

	@Override
	public void suspend() {
		TransactionSynchronizationManager.unbindResourceIfPossible(this.key);
	}

	@Override
	public void resume() {
		TransactionSynchronizationManager.bindResource(this.key, this);
	}

	@Override
	public void afterCompletion(int status) {
		TransactionSynchronizationManager.unbindResourceIfPossible(this.key);
		if (this.events.isEmpty()) {
			return;
		}
		if (status == STATUS_ROLLED_BACK) {
			cancel(List.copyOf(this.events));
			return;
		}
		this.handOver.handOver(this.events.stream().filter((event) -> event.owner() != null).toList());
		this.handOver.due(this.events.stream().filter((event) -> event.owner() == null).toList());
		if (!this.completing) {
			logger.error(
					"{}: {} events were written in a transaction that had already been committed, so they are lost "
							+ "or were committed by accident. Write from after-commit callbacks with REQUIRES_NEW",
					this.outbox, this.events.size());
		}
		else if (status == STATUS_COMMITTED) {
			this.hooks.afterCommit(envelopes(this.events));
		}
		else {
			logger.warn("{}: it is not known whether a transaction with {} events was committed; those that were are "
					+ "delivered", this.outbox, this.events.size());
		}
	}

	private void cancel(List<WrittenEvent> rolledBack) {
		freePlaces(rolledBack);
		this.hooks.afterRollback(envelopes(rolledBack));
	}

	private void freePlaces(List<WrittenEvent> undone) {
		List<WrittenEvent> placed = undone.stream().filter((event) -> event.owner() != null).toList();
		this.places -= placed.size();
		this.handOver.cancel(placed);
	}

	private static List<EventEnvelope> envelopes(List<WrittenEvent> events) {
		return events.stream().map(WrittenEvent::envelope).toList();
	}

	/**
	 * How far the transaction had come at a savepoint.
	 */
	private record Mark(int step, int size) {

		static final Mark START = new Mark(0, 0);

	}

}
