package dev.outbox.testsupport;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * PostgreSQL. A database consists of 300 files and takes up to a quarter of a second to
 * create, so one that is done with is emptied and used again, under a new name: who still
 * tries to reach it cannot disturb the next test. What does not live in a schema
 * (publications, settings of the database) a test has to remove itself.
 */
final class PostgresServer implements DatabaseHost {

	private static final int PORT = 5432;

	private static final String DISCONNECT = """
			SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '%s'
			""";

	private static final String EMPTY = """
			DO $$
			DECLARE
				name text;
			BEGIN
				FOR name IN SELECT nspname FROM pg_namespace
					WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
				LOOP
					EXECUTE format('DROP SCHEMA %I CASCADE', name);
				END LOOP;
				CREATE SCHEMA public;
			END $$
			""";

	private final DatabaseServer server;

	private final AtomicInteger counter = new AtomicInteger();

	private final Queue<Location> empty = new ConcurrentLinkedQueue<>();

	private PostgresServer(String address, String username, String password) {
		this.server = new DatabaseServer("jdbc:postgresql://" + address + "/%s", "postgres", username, password);
	}

	static PostgresServer start() throws IOException {
		if (Docker.isAvailable()) {
			PostgreSQLContainer container = new PostgreSQLContainer("postgres:18");
			container.setCommand("postgres", "-c", "fsync=off", "-c", "shared_preload_libraries=pg_stat_statements");
			return new PostgresServer(Docker.start(container, PORT), "test", "test");
		}
		// Not in the directory for temporary files, which another user may have filled.
		Path data = ServerFiles.freshDirectory("postgresql");
		EmbeddedPostgres postgres = EmbeddedPostgres.builder()
			.setOverrideWorkingDirectory(ServerFiles.shared("postgresql").toFile())
			.setDataDirectory(data)
			.setServerConfig("shared_preload_libraries", "pg_stat_statements")
			.start();
		endWithThisJvm(data);
		return new PostgresServer("localhost:" + postgres.getPort(), "postgres", "postgres");
	}

	@Override
	public Location createDatabase(String name) {
		Location emptied = this.empty.poll();
		return (emptied != null) ? emptied : this.server.createDatabase(name);
	}

	@Override
	public void dropDatabase(Location database) {
		String old = database.name();
		Location renamed = this.server.location("outbox_again_" + this.counter.incrementAndGet());
		this.server.execute("ALTER DATABASE %s ALLOW_CONNECTIONS false".formatted(old), DISCONNECT.formatted(old),
				"ALTER DATABASE %s RENAME TO %s".formatted(old, renamed.name()),
				"ALTER DATABASE %s ALLOW_CONNECTIONS true".formatted(renamed.name()));
		this.server.execute(renamed, EMPTY);
		this.empty.add(renamed);
	}

	private static void endWithThisJvm(Path data) throws IOException {
		try (BufferedReader reader = Files.newBufferedReader(data.resolve("postmaster.pid"))) {
			ServerProcess.endWithThisJvm(Long.parseLong(reader.readLine().strip()));
		}
	}

}
