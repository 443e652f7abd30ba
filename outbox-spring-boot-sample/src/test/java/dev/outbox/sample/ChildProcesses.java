package dev.outbox.sample;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;

/**
 * Sees to it that processes that tests start do not outlive them.
 */
final class ChildProcesses {

	private ChildProcesses() {
	}

	/**
	 * End a process with this JVM, even if that is killed: a shell waits for the end of
	 * its standard input, which only this JVM holds open, and sends the signal then.
	 */
	static void endWithThisJvm(long pid, String signal) throws IOException {
		new ProcessBuilder("sh", "-c", "cat; kill -" + signal + " \"$0\"", Long.toString(pid)).redirectErrorStream(true)
			.redirectOutput(Redirect.DISCARD)
			.start();
	}

}
