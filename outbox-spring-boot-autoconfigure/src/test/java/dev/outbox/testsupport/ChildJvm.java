package dev.outbox.testsupport;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A process with the class path of this JVM that can be killed, paused and asked to end.
 * It never outlives this JVM.
 */
public final class ChildJvm implements AutoCloseable {

	private final Process process;

	private ChildJvm(Process process) {
		this.process = process;
	}

	/**
	 * Starts a process.
	 * @param main its main class
	 * @param properties its system properties
	 * @param log takes what it prints
	 */
	public static ChildJvm start(Class<?> main, Map<String, String> properties, Path log) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC", "-Xshare:auto", "-Xmx128m", "-cp", System.getProperty("java.class.path")));
		properties.forEach((name, value) -> command.add("-D" + name + "=" + value));
		command.add(main.getName());
		Process process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(Redirect.appendTo(log.toFile()))
			.start();
		endWithThisJvm(process);
		return new ChildJvm(process);
	}

	/**
	 * A shell waits for the end of its standard input, which only this JVM holds open,
	 * and kills the process then, even a paused one. It must not wait any longer than the
	 * process runs, for its id may be another's afterwards.
	 */
	private static void endWithThisJvm(Process process) throws IOException {
		Process guard = new ProcessBuilder("sh", "-c", "read -r line; kill -KILL \"$0\"", Long.toString(process.pid()))
			.redirectErrorStream(true)
			.redirectOutput(Redirect.DISCARD)
			.start();
		process.onExit().thenRun(guard::destroyForcibly);
	}

	/**
	 * Takes the process's life without a warning.
	 */
	public void kill() {
		this.process.destroyForcibly();
		awaitExit();
	}

	/**
	 * Asks the process to end and waits until it has.
	 */
	public void terminate() {
		this.process.destroy();
		awaitExit();
	}

	/**
	 * Stops all of the process's threads where they are.
	 */
	public void pause() throws IOException {
		signal("-STOP");
	}

	/**
	 * Lets a paused process go on.
	 */
	public void resume() throws IOException {
		signal("-CONT");
	}

	/**
	 * Waits until the process has ended by itself.
	 * @return its exit code
	 */
	public int awaitExit() {
		return this.process.onExit().join().exitValue();
	}

	public boolean isAlive() {
		return this.process.isAlive();
	}

	private void signal(String signal) throws IOException {
		int exitCode = new ProcessBuilder("kill", signal, Long.toString(this.process.pid())).start()
			.onExit()
			.join()
			.exitValue();
		if (exitCode != 0) {
			throw new IllegalStateException("kill " + signal + " ended with " + exitCode);
		}
	}

	@Override
	public void close() {
		kill();
	}

}
