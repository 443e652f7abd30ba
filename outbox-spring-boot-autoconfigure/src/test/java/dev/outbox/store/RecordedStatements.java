package dev.outbox.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A DataSource that remembers which statements were prepared.
 */
public final class RecordedStatements extends DelegatingDataSource {

	private final List<String> statements = new CopyOnWriteArrayList<>();

	private final Consumer<String> before;

	public RecordedStatements(DataSource target) {
		this(target, (statement) -> {
		});
	}

	/**
	 * Calls somebody before each statement, so that a test can step in between two.
	 */
	RecordedStatements(DataSource target, Consumer<String> before) {
		super(target);
		this.before = before;
	}

	public List<String> statements() {
		return this.statements;
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("prepareStatement")) {
						this.statements.add(String.valueOf(arguments[0]));
						this.before.accept(String.valueOf(arguments[0]));
					}
					try {
						return method.invoke(connection, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

}
