package dev.outbox.faults;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that an event is not delivered again because its outcome could not be recorded at
 * once.
 */
@EachDatabase(only = { TestDatabase.POSTGRESQL, TestDatabase.MARIADB })
class FailingOutcomesIntegrationTests {

	private final TestDatabase database;

	FailingOutcomesIntegrationTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void outcomeThatIsRecordedAtTheSixthTryIsNotTheOutcomeOfASecondDelivery() {
		deliverWith(new SQLException("The connection is gone", "08006"));
	}

	@Test
	void readOnlyDatabaseDoesNotRefuseTheOutcomeItself() {
		deliverWith(switch (this.database) {
			case MARIADB, MYSQL -> new SQLException("The server runs with --read-only", "HY000", 1290);
			default -> new SQLException("The transaction is read-only", "25006");
		});
	}

	private void deliverWith(SQLException failure) {
		try (Bench bench = new Bench(this.database, "node.heartbeat=500ms", "node.lease=2s")) {
			FailingPool pool = new FailingPool(bench, failure);
			SmallApplication node = bench.nodeOn("node", pool).listeningTo("plain").start();
			node.write("plain");
			bench.awaitAllDelivered();
			assertThat(pool.remaining).hasNonPositiveValue();
			node.write(10, "plain");
			bench.awaitAllDelivered();
			assertThat(bench.journal().repeated()).isEmpty();
		}
	}

	/**
	 * Lets statements fail that record success.
	 */
	private static final class FailingPool extends HikariDataSource {

		private final AtomicInteger remaining = new AtomicInteger(5);

		private final SQLException failure;

		private FailingPool(Bench bench, SQLException failure) {
			super(config(bench));
			this.failure = failure;
		}

		private static HikariConfig config(Bench bench) {
			HikariConfig config = new HikariConfig();
			config.setJdbcUrl(bench.source().url());
			config.setUsername(bench.source().username());
			config.setPassword(bench.source().password());
			return config;
		}

		@Override
		public Connection getConnection() throws SQLException {
			Connection connection = super.getConnection();
			return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
					new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
						if (method.getName().equals("prepareStatement")
								&& arguments[0].toString().contains("SET status = 1")
								&& this.remaining.getAndDecrement() > 0) {
							throw this.failure;
						}
						try {
							return method.invoke(connection, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getTargetException();
						}
					});
		}

	}

}
