package dev.outbox.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The sample in a process of its own, which can be killed, and which does not outlive
 * this one.
 */
final class SampleProcess implements AutoCloseable {

	private static final Duration LIMIT = Duration.ofMinutes(1);

	private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

	private final Process process;

	private final Path log;

	private SampleProcess(Process process, Path log) {
		this.process = process;
		this.log = log;
	}

	static SampleProcess start(Path log, String... arguments) throws IOException {
		List<String> command = new ArrayList<>(List.of(
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1", "-cp",
				System.getProperty("java.class.path"), SampleApplication.class.getName(), "--server.port=0"));
		command.addAll(List.of(arguments));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
		Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
		ChildProcesses.endWithThisJvm(process.pid(), "KILL");
		return new SampleProcess(process, log);
	}

	SampleProcess awaitStart() {
		await().atMost(LIMIT).until(() -> !this.process.isAlive() || log().contains("Started SampleApplication"));
		assertThat(this.process.isAlive()).as(log()).isTrue();
		return this;
	}

	RestTestClient http() {
		Matcher port = PORT.matcher(log());
		assertThat(port.find()).as(log()).isTrue();
		return RestTestClient.bindToServer().baseUrl("http://localhost:" + port.group(1)).build();
	}

	void placeOrders(int count) {
		RestTestClient http = http();
		for (int i = 0; i < count; i++) {
			http.post()
				.uri("/orders")
				.contentType(MediaType.APPLICATION_JSON)
				.body("{\"item\":\"book\",\"quantity\":1}")
				.exchange()
				.expectStatus()
				.isCreated();
		}
	}

	/**
	 * Count the elements of a list that is shown over HTTP.
	 */
	int count(String path) {
		Object[] elements = http().get()
			.uri(path)
			.exchange()
			.expectBody(Object[].class)
			.returnResult()
			.getResponseBody();
		return (elements != null) ? elements.length : 0;
	}

	String log() {
		try {
			return Files.readString(this.log);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Kill the process, on Unix with SIGKILL, and wait until it is gone.
	 */
	void kill() {
		this.process.destroyForcibly().onExit().join();
	}

	/**
	 * Ask the process to stop, and wait until it has.
	 */
	void stop() {
		this.process.destroy();
		await().atMost(LIMIT).until(() -> !this.process.isAlive());
	}

	@Override
	public void close() {
		kill();
	}

}
