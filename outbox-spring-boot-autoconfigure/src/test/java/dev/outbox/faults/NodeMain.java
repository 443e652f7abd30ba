package dev.outbox.faults;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * Runs a {@link SmallApplication} in a process of its own until that is told to end.
 */
final class NodeMain {

	private NodeMain() {
	}

	public static void main(String[] args) throws InterruptedException {
		Map<String, String> properties = new HashMap<>();
		System.getProperties().stringPropertyNames().forEach((name) -> properties.put(name, System.getProperty(name)));
		properties.keySet().removeIf((name) -> !name.startsWith("outbox."));
		SmallApplication application = new SmallApplication(System.getProperty("node.name"),
				Bench.pool(System.getProperty("node.url"), System.getProperty("node.username"),
						System.getProperty("node.password"), 10),
				new Journal(Path.of(System.getProperty("node.journal"))), properties)
			.listeningTo(System.getProperty("node.listens").split(","));
		Runtime.getRuntime().addShutdownHook(new Thread(application::close, "shutdown"));
		application.start();
		String writes = System.getProperty("node.writes", "");
		if (!writes.isEmpty()) {
			application.keepWriting(writes, 2);
		}
		new CountDownLatch(1).await();
	}

}
