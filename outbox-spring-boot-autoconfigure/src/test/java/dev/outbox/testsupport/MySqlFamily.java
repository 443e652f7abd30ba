package dev.outbox.testsupport;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What MariaDB and MySQL have in common when they are started from their binaries, on a
 * data directory of this JVM's own.
 */
final class MySqlFamily {

	static final String USERNAME = "outbox";

	static final String PASSWORD = "outbox";

	private final Path directory = ServerFiles.freshDirectory("server");

	private final Path data = ServerFiles.createDirectories(this.directory.resolve("data"));

	private final Path binary;

	private final List<String> options;

	MySqlFamily(Path binary, List<String> options) {
		this.binary = binary;
		this.options = options;
	}

	void initialise(InputStream input, String option) throws IOException {
		ServerProcess.run(command(option), input, this.directory.resolve("initialise.log"));
	}

	ServerProcess serve(int port, String... options) throws IOException {
		Path accounts = Files.writeString(this.directory.resolve("accounts.sql"), """
				CREATE USER %1$s@'%%' IDENTIFIED BY '%2$s';
				GRANT ALL ON *.* TO %1$s@'%%' WITH GRANT OPTION;
				""".formatted(USERNAME, PASSWORD));
		List<String> command = command(options);
		command.addAll(List.of("--port=" + port, "--bind-address=127.0.0.1", "--skip-name-resolve",
				"--socket=server.sock", "--pid-file=server.pid", "--init-file=" + accounts));
		return ServerProcess.start(command, this.directory);
	}

	private List<String> command(String... options) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(this.binary.toString(), "--no-defaults", "--datadir=" + this.data));
		command.addAll(this.options);
		command.addAll(List.of(options));
		if (Files.getAttribute(this.data, "unix:uid").equals(0)) {
			command.add("--user=root");
		}
		return command;
	}

}
