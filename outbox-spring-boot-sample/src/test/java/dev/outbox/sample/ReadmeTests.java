package dev.outbox.sample;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs the commands of the README in their order and compares what they print with what
 * stands below them. Only what differs from run to run is not compared, and the sample
 * has another port and another directory.
 */
class ReadmeTests {

	private static final Pattern EXAMPLE = Pattern.compile("```shell\\n([^`]*)```\\n\\n```\\n([^`]*)```");

	private static final Pattern H2 = Pattern.compile("\\S+/com/h2database/h2/(\\S+)/h2-\\1\\.jar");

	@TempDir
	private Path directory;

	@Test
	void itsCommandsPrintWhatItSays() throws IOException {
		List<Example> examples = EXAMPLE.matcher(Files.readString(Path.of("README.md")))
			.results()
			.map(Example::of)
			.toList();
		List<Example> requests = examples.stream().filter((example) -> example.command().startsWith("curl")).toList();
		List<Example> queries = examples.stream().filter((example) -> example.command().startsWith("java")).toList();
		assertThat(requests).hasSize(6);
		assertThat(queries).hasSize(1);
		assertThat(examples).hasSize(7);
		try (RunningSample sample = RunningSample.startIn(this.directory)) {
			for (Example request : requests) {
				sample.awaitDelivery();
				assertOutput(request, request.command().replace("localhost:8080", sample.address()));
			}
		}
		for (Example query : queries) {
			assertOutput(query, H2.matcher(query.command())
				.replaceFirst(h2Jar())
				.replace("./outbox-spring-boot-sample/data/orders", this.directory.resolve("orders").toString()));
		}
	}

	/**
	 * The driver of the class path, which must be the one that the README names.
	 */
	private static String h2Jar() {
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> H2.matcher(entry).matches())
			.findFirst()
			.orElseThrow();
	}

	private static void assertOutput(Example example, String command) throws IOException {
		assertThat(H2.matcher(example.command()).results().map((jar) -> jar.group(1)))
			.allMatch((version) -> h2Jar().endsWith("h2-" + version + ".jar"));
		Process process = new ProcessBuilder("sh", "-c", command).redirectError(Redirect.DISCARD).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(normalized(output)).as(command).isEqualTo(normalized(example.output()));
	}

	/**
	 * Replace ids, times and the port.
	 */
	private static String normalized(String output) {
		return output.replace("\r", "")
			.replaceAll("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<id>")
			.replaceAll("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z", "<time>")
			.replaceAll("(?m)^Date: .*$", "Date: <time>")
			.replaceAll("localhost:\\d+", "localhost")
			.replaceAll("\\d+ ms\\)", "<time>)")
			.strip();
	}

	/**
	 * A command and what it prints.
	 */
	private record Example(String command, String output) {

		static Example of(MatchResult match) {
			return new Example(match.group(1), match.group(2));
		}

	}

}
