package dev.outbox.write;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Stands at the moment of commit, where Spring's synchronizations cannot: behind all of
 * them. It refuses the commit when a write failed while the others' {@code beforeCommit}
 * was running, and it remembers that the transaction is over, so that a write from an
 * after-commit callback is not taken for one inside of it.
 */
final class CommitGate implements TransactionExecutionListener {

	private final ThreadLocal<@Nullable Finished> finished = new ThreadLocal<>();

	private final Supplier<@Nullable BoundTransaction> transaction;

	private final Supplier<@Nullable TransactionScope> scope;

	CommitGate(Supplier<@Nullable BoundTransaction> transaction, Supplier<@Nullable TransactionScope> scope) {
		this.transaction = transaction;
		this.scope = scope;
	}

	void attachTo(ConfigurableTransactionManager manager) {
		List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
		listeners.add(this);
		manager.setTransactionExecutionListeners(listeners);
	}

	boolean hasPassed(BoundTransaction candidate) {
		for (Finished entry = this.finished.get(); entry != null; entry = entry.outer()) {
			if (entry.holder() == candidate.holder()) {
				return true;
			}
		}
		return false;
	}

	@Override
	public void beforeCommit(TransactionExecution execution) {
		if (!execution.isNewTransaction()) {
			return;
		}
		TransactionScope current = this.scope.get();
		if (current != null) {
			current.beforeCommit(false);
			current.beforeCompletion();
		}
		BoundTransaction bound = this.transaction.get();
		this.finished.set(new Finished(execution, (bound != null) ? bound.holder() : null, this.finished.get()));
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
		Finished entry = this.finished.get();
		if (entry == null || entry.execution() != execution) {
			return;
		}
		if (entry.outer() != null) {
			this.finished.set(entry.outer());
		}
		else {
			this.finished.remove();
		}
	}

	/**
	 * A transaction whose commit has been started, and the one around whose callbacks it
	 * ran.
	 */
	private record Finished(TransactionExecution execution, @Nullable Object holder, @Nullable Finished outer) {

	}

}
