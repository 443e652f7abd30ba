package dev.outbox.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.Executor;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.InfrastructureProxy;
import org.springframework.jdbc.datasource.ConnectionProxy;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * The connections for the outbox's own statements. They come from the application's pool
 * and go back there as they were, but while they are here
 * <ul>
 * <li>they do not wait for ever for an answer of a server that is gone: the time limit of
 * a statement is kept by the driver and needs a network that works;
 * <li>one that leads to a server that has become read-only is closed instead of being
 * used again, so that the pool connects to whatever server is the right one by then.
 * </ul>
 * Transactions are bound to the application's DataSource, so that these connections and
 * the application's share them.
 */
final class OwnConnections extends DelegatingDataSource implements InfrastructureProxy {

	private static final Logger logger = LoggerFactory.getLogger(OwnConnections.class);

	private static final Executor DIRECT = Runnable::run;

	private final DataSource pool;

	private final int networkTimeout;

	private volatile boolean unlimited;

	OwnConnections(DataSource pool, Duration networkTimeout) {
		super(pool);
		this.pool = pool;
		this.networkTimeout = (int) Math.min(Integer.MAX_VALUE, networkTimeout.toMillis());
	}

	@Override
	public Object getWrappedObject() {
		return this.pool;
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = this.pool.getConnection();
		return (Connection) Proxy.newProxyInstance(OwnConnection.class.getClassLoader(),
				new Class<?>[] { OwnConnection.class }, new Borrowed(connection, limit(connection)));
	}

	/**
	 * Set the time limit unless there is a shorter one.
	 * @return the limit to restore, or {@code null} if none was changed
	 */
	private @Nullable Integer limit(Connection connection) {
		if (this.unlimited) {
			return null;
		}
		try {
			int before = connection.getNetworkTimeout();
			if (before > 0 && before <= this.networkTimeout) {
				return null;
			}
			connection.setNetworkTimeout(DIRECT, this.networkTimeout);
			return before;
		}
		catch (SQLFeatureNotSupportedException | AbstractMethodError ex) {
			logger.debug("The driver cannot limit how long an answer may take", ex);
			this.unlimited = true;
			return null;
		}
		catch (SQLException ex) {
			logger.debug("A connection refused a time limit", ex);
			return null;
		}
	}

	/**
	 * A connection that can be closed for good.
	 */
	interface OwnConnection extends ConnectionProxy {

		/**
		 * Close the connection itself when it is given back.
		 */
		void discard();

	}

	/**
	 * A connection while it is here.
	 */
	private static final class Borrowed implements InvocationHandler {

		private final Connection connection;

		private final @Nullable Integer timeoutBefore;

		private boolean discarded;

		private Borrowed(Connection connection, @Nullable Integer timeoutBefore) {
			this.connection = connection;
			this.timeoutBefore = timeoutBefore;
		}

		@Override
		public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
			switch (method.getName()) {
				case "discard" -> {
					this.discarded = true;
					return null;
				}
				case "getTargetConnection" -> {
					return this.connection;
				}
				case "equals" -> {
					return arguments != null && proxy == arguments[0];
				}
				case "hashCode" -> {
					return System.identityHashCode(proxy);
				}
				case "close" -> prepareForReturn();
				default -> {
				}
			}
			try {
				return method.invoke(this.connection, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
		}

		/**
		 * Try to use the closed connection, from which the pool learns that it is closed.
		 */
		private void fail() throws SQLException {
			try (Statement statement = this.connection.createStatement()) {
				statement.execute("SELECT 1");
			}
		}

		private void prepareForReturn() {
			try {
				if (this.discarded) {
					this.connection.abort(DIRECT);
					fail();
				}
				else if (this.timeoutBefore != null && !this.connection.isClosed()) {
					this.connection.setNetworkTimeout(DIRECT, this.timeoutBefore);
				}
			}
			catch (SQLException ex) {
				logger.debug("A connection could not be given back as it was", ex);
			}
		}

	}

}
