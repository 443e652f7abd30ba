package dev.outbox.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

import org.springframework.util.FileSystemUtils;

/**
 * The files of the test databases, all below {@code target/test-servers}: downloads and
 * what was unpacked from them is shared, everything else belongs to one JVM and is
 * deleted with it. What a killed JVM left behind is deleted by the next one.
 */
final class ServerFiles {

	private static final Path ROOT = root();

	private ServerFiles() {
	}

	/**
	 * The directory that outlives the JVM.
	 */
	static Path shared(String name) {
		return createDirectories(ROOT).resolve(name);
	}

	/**
	 * A file that the build downloads.
	 */
	static Path download(String name, String profile) {
		Path file = ROOT.resolve(name);
		if (!Files.exists(file)) {
			throw new IllegalStateException("There is no Docker here, and " + file + " is missing. Let the build fetch"
					+ " it (on Linux, amd64): ./mvnw" + profile
					+ " -pl outbox-spring-boot-autoconfigure -am process-test-classes");
		}
		return file;
	}

	/**
	 * Unpacks something once for all JVMs, also if several of them try.
	 */
	static Path unpackedOnce(String name, Unpacking unpacking) throws IOException {
		Path target = shared(name);
		if (!Files.exists(target)) {
			Path staging = freshDirectory("unpack");
			unpacking.unpackInto(staging);
			try {
				Files.move(staging, target, StandardCopyOption.ATOMIC_MOVE);
			}
			catch (FileSystemException ex) {
				if (!Files.exists(target)) {
					throw ex;
				}
			}
		}
		return target;
	}

	/**
	 * An empty directory that nobody will use after the end of this JVM.
	 */
	static Path freshDirectory(String purpose) {
		try {
			deleteLeftovers();
			return Files.createTempDirectory(ROOT, "jvm-" + ProcessHandle.current().pid() + "-" + purpose);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static Path createDirectories(Path directory) {
		try {
			return Files.createDirectories(directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static void delete(Path directory) {
		try {
			FileSystemUtils.deleteRecursively(directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void deleteLeftovers() throws IOException {
		List<Path> leftovers;
		try (Stream<Path> files = Files.list(createDirectories(ROOT))) {
			leftovers = files.filter(ServerFiles::isLeftover).toList();
		}
		leftovers.forEach(ServerFiles::delete);
	}

	private static boolean isLeftover(Path file) {
		String name = file.getFileName().toString();
		return name.startsWith("jvm-") && ProcessHandle.of(Long.parseLong(name.split("-")[1])).isEmpty();
	}

	private static Path root() {
		String configured = System.getProperty("outbox.test.servers");
		if (configured != null) {
			return Path.of(configured);
		}
		try {
			Path testClasses = Path.of(ServerFiles.class.getProtectionDomain().getCodeSource().getLocation().toURI());
			return testClasses.resolveSibling("test-servers");
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Unpacks into an empty directory.
	 */
	interface Unpacking {

		void unpackInto(Path directory) throws IOException;

	}

}
