package dev.outbox.testsupport;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipFile;

import org.sqlite.JDBC;
import org.testcontainers.mysql.MySQLContainer;

/**
 * MySQL.
 */
final class MySqlServer {

	private static final int PORT = 3306;

	private MySqlServer() {
	}

	static DatabaseServer start() throws IOException {
		if (Docker.isAvailable()) {
			MySQLContainer container = new MySQLContainer("mysql:8.0").withUsername("root");
			return server(Docker.start(container, PORT), "root", container.getPassword());
		}
		Path home = ServerFiles.unpackedOnce("mysql", MySqlServer::unpack);
		MySqlFamily family = new MySqlFamily(home.resolve("bin/mysqld"),
				List.of("--basedir=" + home, "--innodb-use-native-aio=0", "--innodb-buffer-pool-size=32M",
						"--innodb-doublewrite=0", "--innodb-flush-method=nosync", "--performance-schema=OFF",
						"--secure-file-priv=NULL"));
		family.initialise(InputStream.nullInputStream(), "--initialize-insecure");
		int port = ServerProcess.freePort();
		return family.serve(port, "--mysqlx=OFF", "--tls-version=", "--disable-log-bin")
			.awaitReady(server("127.0.0.1:" + port, MySqlFamily.USERNAME, MySqlFamily.PASSWORD));
	}

	private static DatabaseServer server(String address, String username, String password) {
		return new DatabaseServer("jdbc:mysql://" + address + "/%s?sslMode=DISABLED&allowPublicKeyRetrieval=true",
				"mysql", username, password);
	}

	private static void unpack(Path directory) throws IOException {
		Path log = directory.resolve("unpack.log");
		try (ZipFile jar = new ZipFile(ServerFiles.download("mysql.jar", " -Pmysql").toFile());
				InputStream archive = jar.getInputStream(jar.getEntry("mysql-Linux-amd64.tar.gz"))) {
			ServerProcess.run(List.of("tar", "xzf", "-", "-C", directory.toString()), archive, log);
		}
		if (!loads(directory, log)) {
			standInForLibaio(directory);
		}
	}

	private static boolean loads(Path directory, Path log) throws IOException {
		try {
			ServerProcess.run(List.of(directory.resolve("bin/mysqld").toString(), "--no-defaults", "--version"),
					InputStream.nullInputStream(), log);
			return true;
		}
		catch (IllegalStateException ex) {
			return false;
		}
	}

	/**
	 * The binary is linked to libaio, which many machines lack. Asynchronous I/O is
	 * switched off, so no function of it is ever called, and any library will do to
	 * satisfy the loader: SQLite's is at hand.
	 */
	private static void standInForLibaio(Path directory) throws IOException {
		try (InputStream library = JDBC.class.getResourceAsStream("native/Linux/x86_64/libsqlitejdbc.so")) {
			if (library == null) {
				throw new IOException("sqlite-jdbc has no library for Linux on amd64");
			}
			Files.copy(library, directory.resolve("lib/private/libaio.so.1"));
		}
	}

}
