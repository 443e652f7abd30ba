package dev.outbox.testsupport;

import java.nio.file.Files;
import java.nio.file.Path;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.JdbcDatabaseContainer;

/**
 * Database servers from Docker.
 */
final class Docker {

	private static final boolean AVAILABLE = mayBeThere() && DockerClientFactory.instance().isDockerAvailable();

	private Docker() {
	}

	static boolean isAvailable() {
		return AVAILABLE;
	}

	/**
	 * Starts a container, which Testcontainers removes at the end of the JVM.
	 */
	static String start(JdbcDatabaseContainer<?> container, int port) {
		container.start();
		return container.getHost() + ":" + container.getMappedPort(port);
	}

	/**
	 * Asking Testcontainers takes a second and logs an error where there is no Docker.
	 */
	private static boolean mayBeThere() {
		return System.getenv("DOCKER_HOST") != null || Files.exists(Path.of("/var/run/docker.sock"))
				|| Files.exists(Path.of(System.getProperty("user.home"), ".docker", "run", "docker.sock"))
				|| System.getProperty("os.name").startsWith("Windows");
	}

}
