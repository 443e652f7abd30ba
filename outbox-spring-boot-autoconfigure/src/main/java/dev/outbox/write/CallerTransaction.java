package dev.outbox.write;

import javax.sql.DataSource;

import dev.outbox.OutboxTransactionException;

import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Decides whether the caller's transaction is one in which an event shares the fate of
 * the business data, and sees to it that a transaction in which a write failed is not
 * committed.
 */
final class CallerTransaction {

	private static final String HOW = "Call it from a method with @Transactional, or within a TransactionTemplate, "
			+ "of a transaction manager for the outbox's DataSource";

	private final String outbox;

	private final WriterHooks hooks;

	private final HandOver handOver;

	private final TransactionFinder finder;

	private final CommitGate gate;

	CallerTransaction(String outbox, DataSource dataSource, WriterHooks hooks, HandOver handOver) {
		this.outbox = outbox;
		this.hooks = hooks;
		this.handOver = handOver;
		this.finder = new TransactionFinder(dataSource);
		this.gate = new CommitGate(this.finder::find, () -> TransactionScope.current(this));
	}

	void watch(ConfigurableTransactionManager manager) {
		this.gate.attachTo(manager);
	}

	/**
	 * Return the transaction to write in.
	 * @throws OutboxTransactionException if there is none that will do
	 */
	BoundTransaction require() {
		if (!TransactionSynchronizationManager.isSynchronizationActive()) {
			throw refusal((this.finder.find() != null)
					? "the transaction here calls nobody back: it is over, or its transaction manager has "
							+ "synchronization switched off"
					: "there is no transaction here. " + HOW);
		}
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			throw refusal("there is no transaction here, only a scope without one (SUPPORTS, NOT_SUPPORTED). " + HOW);
		}
		BoundTransaction transaction = this.finder.find();
		if (transaction == null) {
			throw refusal("the transaction here is not one of the outbox's DataSource, so the event would not be "
					+ "committed or rolled back with it. " + HOW
					+ ", or mark another DataSource with @OutboxDataSource");
		}
		if (!this.gate.isInnermost(transaction)) {
			throw refusal("the transaction here is not one of the outbox's DataSource, but one within such a "
					+ "transaction, so the event would not be committed or rolled back with it. Write before it begins "
					+ "or after it has ended");
		}
		if (this.gate.isOver(transaction)) {
			throw refusal("the transaction here has been committed already: this is one of its after-commit "
					+ "callbacks. Write in a transaction of its own, with propagation REQUIRES_NEW");
		}
		if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			throw refusal("the transaction here is read-only. Begin it without readOnly = true");
		}
		return transaction;
	}

	TransactionScope scope() {
		return TransactionScope.join(this, this.outbox, this.hooks, this.handOver);
	}

	/**
	 * Make a commit of whatever transaction there is impossible.
	 */
	void poison(Throwable failure) {
		BoundTransaction transaction = this.finder.find();
		if (transaction != null && !this.gate.isInnermost(transaction)) {
			this.gate.refuseCommit(transaction, TransactionScope.refusal(this.outbox, failure));
		}
		else if (transaction != null && this.gate.isOver(transaction)) {
			return;
		}
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			scope().failed(failure);
		}
		else if (transaction != null) {
			transaction.holder().setRollbackOnly();
		}
	}

	private OutboxTransactionException refusal(String reason) {
		return new OutboxTransactionException(this.outbox + ": an event cannot be written, " + reason);
	}

}
