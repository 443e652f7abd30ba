package dev.outbox.sample;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A PostgreSQL server of a test's own.
 */
final class PostgresForSample implements AutoCloseable {

	private final EmbeddedPostgres server;

	private PostgresForSample(EmbeddedPostgres server) {
		this.server = server;
	}

	static PostgresForSample startIn(Path directory) throws IOException {
		Path data = directory.resolve("data");
		EmbeddedPostgres server = EmbeddedPostgres.builder()
			.setOverrideWorkingDirectory(directory.toFile())
			.setDataDirectory(data)
			.start();
		try (BufferedReader reader = Files.newBufferedReader(data.resolve("postmaster.pid"))) {
			ChildProcesses.endWithThisJvm(Long.parseLong(reader.readLine().strip()), "QUIT");
		}
		return new PostgresForSample(server);
	}

	String url() {
		return "jdbc:postgresql://localhost:" + this.server.getPort() + "/postgres";
	}

	@Override
	public void close() throws IOException {
		this.server.close();
	}

}
