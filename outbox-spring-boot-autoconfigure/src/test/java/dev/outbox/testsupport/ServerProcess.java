package dev.outbox.testsupport;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import org.awaitility.Awaitility;

/**
 * A server started from its binary, which ends with this JVM.
 */
final class ServerProcess {

	private final Process process;

	private final Path log;

	private ServerProcess(Process process, Path log) {
		this.process = process;
		this.log = log;
	}

	/**
	 * Starts a server that runs until the end of this JVM and takes its directory along.
	 */
	static ServerProcess start(List<String> command, Path directory) throws IOException {
		Path log = directory.resolve("server.log");
		Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			process.destroyForcibly().onExit().join();
			ServerFiles.delete(directory);
		}));
		endWithThisJvm(process.pid());
		return new ServerProcess(process, log);
	}

	/**
	 * Sees to it that a server ends even when this JVM is killed: a shell waits for the
	 * end of its standard input, which only this JVM holds open, and stops the server
	 * then.
	 */
	static void endWithThisJvm(long pid) throws IOException {
		new ProcessBuilder("sh", "-c", "cat; kill -QUIT \"$0\"", Long.toString(pid)).redirectErrorStream(true)
			.redirectOutput(Redirect.DISCARD)
			.start();
	}

	/**
	 * Runs a command to its end.
	 */
	static void run(List<String> command, InputStream input, Path log) throws IOException {
		Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
		try (OutputStream output = process.getOutputStream()) {
			input.transferTo(output);
		}
		int exitCode = process.onExit().join().exitValue();
		if (exitCode != 0) {
			throw new IllegalStateException(command + " ended with " + exitCode + ":\n" + Files.readString(log));
		}
	}

	static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
	}

	/**
	 * Waits until the server can be connected to.
	 */
	DatabaseServer awaitReady(DatabaseServer server) throws IOException {
		Awaitility.await()
			.atMost(Duration.ofMinutes(2))
			.pollInterval(Duration.ofMillis(50))
			.until(() -> !this.process.isAlive() || answers(server));
		if (!this.process.isAlive()) {
			throw new IllegalStateException("The server ended at once:\n" + Files.readString(this.log));
		}
		return server;
	}

	private static boolean answers(DatabaseServer server) {
		try {
			server.ping();
			return true;
		}
		catch (SQLException ex) {
			return false;
		}
	}

}
