package dev.outbox.faults;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A file to which listeners of any number of processes append a line per call. A line is
 * handed to the operating system before the call goes on, so the death of the process
 * does not take it along.
 */
final class Journal {

	private final Path file;

	Journal(Path file) {
		this.file = file;
	}

	Path file() {
		return this.file;
	}

	/**
	 * Note that a node was called with an event.
	 */
	void note(String eventId, String node) {
		try (FileOutputStream output = new FileOutputStream(this.file.toFile(), true)) {
			output.write((eventId + " " + node + "\n").getBytes(StandardCharsets.US_ASCII));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	List<Call> calls() {
		try {
			String text = Files.exists(this.file) ? Files.readString(this.file) : "";
			return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Call::parse).toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	List<Call> callsOf(String node) {
		return calls().stream().filter((call) -> call.node().equals(node)).toList();
	}

	Set<String> eventIds() {
		return calls().stream().map(Call::eventId).collect(Collectors.toSet());
	}

	/**
	 * Return the events that listeners were called with more than once.
	 */
	Set<String> repeated() {
		return calls().stream()
			.collect(Collectors.groupingBy(Call::eventId, Collectors.counting()))
			.entrySet()
			.stream()
			.filter((entry) -> entry.getValue() > 1)
			.map(Map.Entry::getKey)
			.collect(Collectors.toSet());
	}

	/**
	 * A call of a listener.
	 *
	 * @param eventId what it was called with
	 * @param node where it was called
	 */
	record Call(String eventId, String node) {

		private static Call parse(String line) {
			String[] parts = line.split(" ");
			return new Call(parts[0], parts[1]);
		}

	}

}
