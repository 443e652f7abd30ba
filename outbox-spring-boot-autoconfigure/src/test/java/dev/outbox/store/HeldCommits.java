package dev.outbox.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A DataSource whose first commit waits until it is let go, so that a test can look at
 * what an open transaction of ours does to others. Its connections don't commit by
 * themselves, so that single statements have a transaction as well.
 */
final class HeldCommits extends DelegatingDataSource {

	private final CountDownLatch reached = new CountDownLatch(1);

	private final CountDownLatch released = new CountDownLatch(1);

	HeldCommits(DataSource target) {
		super(target);
	}

	void awaitCommit() throws InterruptedException {
		if (!this.reached.await(30, TimeUnit.SECONDS)) {
			throw new AssertionError("There was no commit");
		}
	}

	void letGo() {
		this.released.countDown();
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		connection.setAutoCommit(false);
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("commit")) {
						this.reached.countDown();
						this.released.await(60, TimeUnit.SECONDS);
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
