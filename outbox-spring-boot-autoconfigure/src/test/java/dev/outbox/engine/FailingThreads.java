package dev.outbox.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A DataSource that fails once in each of the threads it is told to, and remembers what
 * was asked of it.
 */
final class FailingThreads extends DelegatingDataSource {

	private final Map<String, Throwable> faults = new ConcurrentHashMap<>();

	private final List<String> statements = new CopyOnWriteArrayList<>();

	private final Set<String> ofInterruptedThreads = ConcurrentHashMap.newKeySet();

	FailingThreads(DataSource target) {
		super(target);
	}

	/**
	 * Let the next statement of threads fail.
	 * @param threads how the names of the threads begin
	 */
	void failOnce(Collection<String> threads, Throwable failure) {
		threads.forEach((thread) -> this.faults.put(thread, failure));
	}

	/**
	 * Return which threads have not failed yet.
	 */
	Set<String> pending() {
		return this.faults.keySet();
	}

	List<String> statements() {
		return this.statements;
	}

	Set<String> ofInterruptedThreads() {
		return this.ofInterruptedThreads;
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("prepareStatement")) {
						before(String.valueOf(arguments[0]));
					}
					try {
						return method.invoke(connection, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	private void before(String statement) throws Throwable {
		this.statements.add(statement);
		if (Thread.currentThread().isInterrupted()) {
			this.ofInterruptedThreads.add(statement);
		}
		String name = Thread.currentThread().getName();
		for (String thread : this.faults.keySet()) {
			Throwable failure = name.startsWith(thread) ? this.faults.remove(thread) : null;
			if (failure != null) {
				throw failure;
			}
		}
	}

}
