package dev.outbox.testsupport;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.outbox.testsupport.DatabaseHost.Location;

/**
 * The databases the outbox supports, each as a real server or engine. A server is started
 * with the first database that is asked of it and is shared by all tests of the JVM.
 */
public enum TestDatabase {

	/**
	 * PostgreSQL 18, without fsync.
	 */
	POSTGRESQL(PostgresServer::start),

	/**
	 * MariaDB 11.4 with its own defaults: latin1, REPEATABLE READ.
	 */
	MARIADB(MariaDbServer::start),

	/**
	 * MySQL 8.0; only with {@code -Pmysql}.
	 */
	MYSQL(MySqlServer::start),

	/**
	 * H2 in memory.
	 */
	H2(H2Engine::new),

	/**
	 * SQLite in a file, in WAL mode.
	 */
	SQLITE(SqliteEngine::new);

	private static final AtomicInteger counter = new AtomicInteger();

	private final FutureTask<DatabaseHost> host;

	TestDatabase(Callable<DatabaseHost> starter) {
		this.host = new FutureTask<>(starter);
	}

	/**
	 * Creates an empty database and a pool of ten auto-committing connections to it.
	 */
	public TestDataSource freshDatabase() {
		return freshDatabase(PoolOptions.defaults());
	}

	/**
	 * Creates an empty database and a pool of connections to it.
	 */
	public TestDataSource freshDatabase(PoolOptions options) {
		DatabaseHost host = host();
		Location location = host.createDatabase("outbox_test_" + counter.incrementAndGet());
		return new TestDataSource(this, location, options, () -> host.dropDatabase(location));
	}

	/**
	 * The databases that tests run against: all, MySQL only if {@code outbox.test.mysql}
	 * is {@code true}, narrowed by {@code outbox.test.databases}, a list such as
	 * {@code postgresql,h2}.
	 */
	public static Set<TestDatabase> switchedOn() {
		Set<TestDatabase> databases = EnumSet.allOf(TestDatabase.class);
		if (!Boolean.getBoolean("outbox.test.mysql")) {
			databases.remove(MYSQL);
		}
		String wanted = System.getProperty("outbox.test.databases", "");
		if (!wanted.isBlank()) {
			databases.retainAll(Stream.of(wanted.split(","))
				.map((name) -> valueOf(name.strip().toUpperCase(Locale.ROOT)))
				.collect(Collectors.toSet()));
		}
		return databases;
	}

	private DatabaseHost host() {
		this.host.run();
		try {
			return this.host.get();
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(this + " could not be started: " + ex.getCause().getMessage(),
					ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for " + this, ex);
		}
	}

}
