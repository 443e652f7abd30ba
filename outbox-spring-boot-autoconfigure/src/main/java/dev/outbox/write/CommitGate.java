package dev.outbox.write;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import dev.outbox.EventNotWrittenException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Watches transactions begin and commit, from where Spring's synchronizations cannot: it
 * keeps, for each thread, which transactions are open one within the other, and which of
 * them brought the outbox's connection along.
 * <ul>
 * <li>A transaction of another manager leaves the connection of the one around it bound
 * to the thread. Only the innermost transaction may write, and only if the connection is
 * its own: otherwise the event and what follows it would belong to different
 * transactions.
 * <li>The gate is behind all synchronizations, so it refuses the commit also when a write
 * failed while the others' {@code beforeCommit} was running.
 * <li>It knows when a transaction is over, so that a write from an after-commit callback
 * is not taken for one inside of it. What JPA flushes during the commit still is.
 * </ul>
 */
final class CommitGate implements TransactionExecutionListener {

	private final ThreadLocal<@Nullable Open> innermost = new ThreadLocal<>();

	private final Supplier<@Nullable BoundTransaction> transaction;

	private final Supplier<@Nullable TransactionScope> scope;

	CommitGate(Supplier<@Nullable BoundTransaction> transaction, Supplier<@Nullable TransactionScope> scope) {
		this.transaction = transaction;
		this.scope = scope;
	}

	void attachTo(ConfigurableTransactionManager manager) {
		List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
		if (!listeners.contains(this)) {
			listeners.add(this);
			manager.setTransactionExecutionListeners(listeners);
		}
	}

	/**
	 * Return whether a transaction is the innermost one. Those of managers that are not
	 * watched are taken for it.
	 */
	boolean isInnermost(BoundTransaction candidate) {
		Open open = this.innermost.get();
		return open == null || open.holder == candidate.holder() || owner(candidate) == null;
	}

	boolean isOver(BoundTransaction candidate) {
		Open owner = owner(candidate);
		return owner != null && owner.over;
	}

	/**
	 * Refuse the commit of the transaction that owns a connection, wherever it is.
	 */
	void refuseCommit(BoundTransaction candidate, EventNotWrittenException refusal) {
		Open owner = owner(candidate);
		if (owner != null) {
			owner.refusal = refusal;
		}
	}

	private @Nullable Open owner(BoundTransaction candidate) {
		for (Open open = this.innermost.get(); open != null; open = open.outer) {
			if (open.holder == candidate.holder()) {
				return open;
			}
		}
		return null;
	}

	@Override
	public void afterBegin(TransactionExecution execution, @Nullable Throwable beginFailure) {
		if (beginFailure != null || !execution.isNewTransaction()) {
			return;
		}
		Open outer = this.innermost.get();
		while (outer != null && outer.execution.isCompleted()) {
			outer = outer.outer;
		}
		this.innermost.set(outer);
		BoundTransaction bound = this.transaction.get();
		boolean own = bound != null && owner(bound) == null;
		this.innermost.set(new Open(execution, own ? bound.holder() : null, outer));
	}

	@Override
	public void beforeCommit(TransactionExecution execution) {
		Open open = this.innermost.get();
		if (open == null || open.execution != execution) {
			return;
		}
		TransactionScope current = this.scope.get();
		if (current != null) {
			current.beforeCommit(false);
			current.beforeCompletion();
		}
		if (open.refusal != null) {
			throw open.refusal;
		}
		if (open.holder != null && TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(open);
		}
	}

	@Override
	public void afterCommit(TransactionExecution execution, @Nullable Throwable commitFailure) {
		leave(execution);
	}

	@Override
	public void afterRollback(TransactionExecution execution, @Nullable Throwable rollbackFailure) {
		leave(execution);
	}

	private void leave(TransactionExecution execution) {
		Open open = this.innermost.get();
		if (open == null || open.execution != execution) {
			return;
		}
		if (open.outer != null) {
			this.innermost.set(open.outer);
		}
		else {
			this.innermost.remove();
		}
	}

	/**
	 * A transaction that has begun, the connection it brought along, and the transaction
	 * around it. It is the first to hear that it has been committed.
	 */
	private static final class Open implements TransactionSynchronization, Ordered {

		private final TransactionExecution execution;

		private final @Nullable Object holder;

		private final @Nullable Open outer;

		private boolean over;

		private @Nullable EventNotWrittenException refusal;

		private Open(TransactionExecution execution, @Nullable Object holder, @Nullable Open outer) {
			this.execution = execution;
			this.holder = holder;
			this.outer = outer;
		}

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

		@Override
		public void afterCommit() {
			this.over = true;
		}

	}

}
