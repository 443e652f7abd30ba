package dev.outbox.write;

import java.sql.SQLException;
import java.util.Map;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SimpleConnectionHandle;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Finds the connection of the current transaction if that transaction is one of the
 * outbox's own DataSource.
 * <p>
 * A transaction manager binds its connection to the thread under the DataSource it was
 * given. That need not be the very object the outbox was given: either may be a wrapper
 * of the other, so all bound connections are looked at if the first look fails. A
 * connection may also be bound without belonging to any transaction, because somebody
 * used it while a transaction of another DataSource was running; writing through that one
 * would commit or lose the event by itself.
 */
final class TransactionFinder {

	private final DataSource dataSource;

	private final DataSource target;

	private final Probe probe;

	TransactionFinder(DataSource dataSource) {
		this.dataSource = dataSource;
		this.target = unwrap(dataSource);
		this.probe = new Probe(dataSource);
	}

	@Nullable BoundTransaction find() {
		if (TransactionSynchronizationManager.getResource(this.dataSource) instanceof ConnectionHolder holder) {
			return isTransactional(holder, this.probe) ? new BoundTransaction(this.dataSource, holder) : null;
		}
		for (Map.Entry<Object, Object> bound : TransactionSynchronizationManager.getResourceMap().entrySet()) {
			if (bound.getKey() instanceof DataSource other && bound.getValue() instanceof ConnectionHolder holder
					&& leadsToTarget(other) && isTransactional(holder, new Probe(other))) {
				return new BoundTransaction(other, holder);
			}
		}
		return null;
	}

	/**
	 * A holder with a handle of its own comes from a JPA dialect, which exposes its
	 * connection within its transactions only.
	 */
	private static boolean isTransactional(ConnectionHolder holder, Probe probe) {
		return !(holder.getConnectionHandle() instanceof SimpleConnectionHandle) || probe.isTransactionActive();
	}

	private boolean leadsToTarget(DataSource other) {
		DataSource unwrapped = unwrap(other);
		return unwrapped == this.target || wraps(unwrapped, this.target) || wraps(this.target, unwrapped);
	}

	private static boolean wraps(DataSource wrapper, DataSource wrapped) {
		try {
			return wrapper.isWrapperFor(wrapped.getClass()) && wrapper.unwrap(wrapped.getClass()) == wrapped;
		}
		catch (SQLException ex) {
			return false;
		}
	}

	private static DataSource unwrap(DataSource dataSource) {
		DataSource current = dataSource;
		while (current instanceof DelegatingDataSource delegating && delegating.getTargetDataSource() != null) {
			current = delegating.getTargetDataSource();
		}
		return current;
	}

	/**
	 * Asks what only a transaction manager may ask: whether the bound connection is in a
	 * transaction.
	 */
	private static final class Probe extends DataSourceTransactionManager {

		private static final long serialVersionUID = 1L;

		private Probe(DataSource dataSource) {
			super(dataSource);
		}

		private boolean isTransactionActive() {
			return isExistingTransaction(doGetTransaction());
		}

	}

}
