package dev.outbox.testsupport;

import java.util.Map;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.testsupport.DatabaseHost.Location;

/**
 * A pool of connections to a database of a test's own. Closing it closes the pool;
 * closing the one that {@link TestDatabase#freshDatabase()} returned drops the database
 * as well.
 */
public final class TestDataSource implements AutoCloseable {

	private final TestDatabase database;

	private final Location location;

	private final String url;

	private final HikariDataSource pool;

	private final Runnable afterClose;

	TestDataSource(TestDatabase database, Location location, PoolOptions options, Runnable afterClose) {
		this.database = database;
		this.location = location;
		this.url = withParameters(location.url(), options.urlParameters());
		this.pool = open(this.url, location, options);
		this.afterClose = afterClose;
	}

	/**
	 * Opens one more pool to the same database, as another node of an application has it.
	 */
	public TestDataSource anotherPool(PoolOptions options) {
		return new TestDataSource(this.database, this.location, options, () -> {
		});
	}

	/**
	 * Opens one more pool to the same database, as another node of an application has it.
	 */
	public TestDataSource anotherPool() {
		return anotherPool(PoolOptions.defaults());
	}

	public DataSource dataSource() {
		return this.pool;
	}

	/**
	 * The JDBC URL with all parameters, for tests that configure a pool of their own.
	 */
	public String url() {
		return this.url;
	}

	public String username() {
		return this.location.username();
	}

	public String password() {
		return this.location.password();
	}

	public TestDatabase database() {
		return this.database;
	}

	@Override
	public void close() {
		this.pool.close();
		this.afterClose.run();
	}

	@Override
	public String toString() {
		return this.database + " " + this.url;
	}

	private static HikariDataSource open(String url, Location location, PoolOptions options) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url);
		config.setUsername(location.username());
		config.setPassword(location.password());
		config.setMaximumPoolSize(options.maximumPoolSize());
		config.setMinimumIdle(0);
		config.setConnectionTimeout(options.connectionTimeout().toMillis());
		config.setAutoCommit(options.autoCommit());
		return new HikariDataSource(config);
	}

	private static String withParameters(String url, Map<String, String> parameters) {
		boolean h2 = url.startsWith("jdbc:h2:");
		StringBuilder result = new StringBuilder(url);
		parameters.forEach((name, value) -> {
			result.append(h2 ? ';' : (result.indexOf("?") < 0) ? '?' : '&');
			result.append(name).append('=').append(value);
		});
		return result.toString();
	}

}
