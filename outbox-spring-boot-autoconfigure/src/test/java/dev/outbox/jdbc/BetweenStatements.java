package dev.outbox.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A DataSource that does something else before one of the statements that are run with
 * it, so that every order of two nodes' statements can be tried out. Only statements
 * outside of transactions and before MySQL's {@code GET_LOCK} count: after that, a lock
 * may be held that the other waits for.
 */
final class BetweenStatements extends DelegatingDataSource {

	private static final Set<String> RUNS = Set.of("execute", "executeQuery", "executeUpdate", "getTables");

	private final int position;

	private final Runnable something;

	private int count;

	private boolean locked;

	BetweenStatements(DataSource dataSource, int position, Runnable something) {
		super(dataSource);
		this.position = position;
		this.something = something;
	}

	/**
	 * Whether the statement has been reached.
	 */
	boolean happened() {
		return this.count >= this.position;
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		return watch(Connection.class, connection, connection);
	}

	private <T> T watch(Class<T> type, Object target, Connection connection) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, args) -> {
				this.locked |= args != null && args.length > 0 && String.valueOf(args[0]).contains("GET_LOCK");
				if (RUNS.contains(method.getName()) && isOpenForOthers(connection) && ++this.count == this.position) {
					this.something.run();
				}
				try {
					return watched(method.invoke(target, args), connection);
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
			}));
	}

	private boolean isOpenForOthers(Connection connection) throws SQLException {
		return !this.locked && connection.getAutoCommit();
	}

	private Object watched(Object result, Connection connection) {
		if (result instanceof PreparedStatement) {
			return watch(PreparedStatement.class, result, connection);
		}
		if (result instanceof Statement) {
			return watch(Statement.class, result, connection);
		}
		return (result instanceof DatabaseMetaData) ? watch(DatabaseMetaData.class, result, connection) : result;
	}

}
