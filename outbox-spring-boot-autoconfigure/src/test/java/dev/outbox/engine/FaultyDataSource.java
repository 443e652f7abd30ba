package dev.outbox.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A DataSource that can be cut off from its database, as a node that has died is, and
 * whose next commit can fail.
 */
final class FaultyDataSource extends DelegatingDataSource {

	/**
	 * A connection that is gone can still be given back to its pool.
	 */
	private static final Set<String> LOCAL = Set.of("close", "isClosed", "toString", "hashCode", "equals", "unwrap",
			"isWrapperFor");

	private final ThreadLocal<CommitFault> commitFault = ThreadLocal.withInitial(() -> CommitFault.NONE);

	private volatile boolean cut;

	FaultyDataSource(DataSource target) {
		super(target);
	}

	/**
	 * Let nothing through any more.
	 */
	void cut() {
		this.cut = true;
	}

	void heal() {
		this.cut = false;
	}

	/**
	 * Let the next commit of this thread fail.
	 */
	void failNextCommitHere(CommitFault fault) {
		this.commitFault.set(fault);
	}

	@Override
	public Connection getConnection() throws SQLException {
		refuseIf(this.cut);
		Wire wire = new Wire(super.getConnection());
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> wire.call(method, arguments));
	}

	private static void refuseIf(boolean gone) throws SQLException {
		if (gone) {
			throw new SQLException("The database is out of reach", "08006");
		}
	}

	/**
	 * How a commit fails.
	 */
	enum CommitFault {

		NONE(false, false),

		/**
		 * The database commits, but its answer and the connection are lost.
		 */
		ANSWER_LOST(true, true),

		/**
		 * The database never hears of the commit, and the connection is lost.
		 */
		NEVER_ARRIVES(false, true),

		/**
		 * The database commits and reports an error, and the connection goes on.
		 */
		COMMITS_WITH_ERROR(true, false);

		private final boolean commits;

		private final boolean breaks;

		CommitFault(boolean commits, boolean breaks) {
			this.commits = commits;
			this.breaks = breaks;
		}

	}

	/**
	 * One connection.
	 */
	private final class Wire {

		private final Connection connection;

		private boolean broken;

		Wire(Connection connection) {
			this.connection = connection;
		}

		Object call(Method method, Object[] arguments) throws Throwable {
			if (!LOCAL.contains(method.getName())) {
				refuseIf(this.broken || FaultyDataSource.this.cut);
			}
			if (method.getName().equals("commit")) {
				CommitFault fault = FaultyDataSource.this.commitFault.get();
				FaultyDataSource.this.commitFault.remove();
				commit(fault);
				return null;
			}
			try {
				return method.invoke(this.connection, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getCause();
			}
		}

		private void commit(CommitFault fault) throws SQLException {
			if (fault == CommitFault.NONE || fault.commits) {
				this.connection.commit();
			}
			else {
				this.connection.rollback();
			}
			this.broken = fault.breaks;
			if (fault != CommitFault.NONE) {
				throw new SQLException("The commit failed", "08007");
			}
		}

	}

}
