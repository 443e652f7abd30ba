package dev.outbox.testsupport;

import java.nio.file.Path;

/**
 * SQLite in files below the build directory.
 */
final class SqliteEngine implements DatabaseHost {

	private static final String PARAMETERS = "?journal_mode=WAL&busy_timeout=10000&synchronous=NORMAL"
			+ "&foreign_keys=on&transaction_mode=IMMEDIATE";

	private final Path directory = ServerFiles.freshDirectory("sqlite");

	SqliteEngine() {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> ServerFiles.delete(this.directory)));
	}

	@Override
	public Location createDatabase(String name) {
		Path file = ServerFiles.createDirectories(this.directory.resolve(name)).resolve("test.db");
		return new Location(name, "jdbc:sqlite:" + file + PARAMETERS, "", "");
	}

	@Override
	public void dropDatabase(Location database) {
		ServerFiles.delete(this.directory.resolve(database.name()));
	}

}
