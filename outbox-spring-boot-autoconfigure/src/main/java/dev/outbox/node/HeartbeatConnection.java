package dev.outbox.node;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcUtils;

/**
 * Keeps one connection of a pool for signs of life, so that a node whose pool is
 * exhausted is not taken for dead. A connection that failed is given back and replaced.
 */
public final class HeartbeatConnection extends AbstractDataSource {

	/**
	 * How many connections a pool must have for one of them to be kept.
	 */
	public static final int SMALLEST_POOL = 4;

	private final DataSource pool;

	private final boolean kept;

	private @Nullable Connection connection;

	/**
	 * Take signs of life out of a pool.
	 * @param pool the pool
	 * @param poolSize how many connections it has, or {@code null} if that is unknown;
	 * none is kept of a pool that is small or unknown
	 */
	public HeartbeatConnection(DataSource pool, @Nullable Integer poolSize) {
		this.pool = pool;
		this.kept = poolSize != null && poolSize >= SMALLEST_POOL;
	}

	@Override
	public Connection getConnection() throws SQLException {
		if (!this.kept) {
			return this.pool.getConnection();
		}
		synchronized (this) {
			Connection held = this.connection;
			if (held == null) {
				held = this.pool.getConnection();
				this.connection = held;
			}
			return new SingleConnectionDataSource(held, true).getConnection();
		}
	}

	@Override
	public Connection getConnection(String username, String password) throws SQLException {
		throw new UnsupportedOperationException("The pool knows who to connect as");
	}

	/**
	 * Give the connection back to the pool.
	 */
	public synchronized void drop() {
		JdbcUtils.closeConnection(this.connection);
		this.connection = null;
	}

}
