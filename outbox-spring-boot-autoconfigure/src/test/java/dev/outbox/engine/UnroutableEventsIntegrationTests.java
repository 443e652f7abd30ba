package dev.outbox.engine;

import java.time.Duration;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that events to which nobody listens are seen.
 */
@EachDatabase
@ExtendWith(OutputCaptureExtension.class)
class UnroutableEventsIntegrationTests {

	private final TestDatabase database;

	UnroutableEventsIntegrationTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void typesThatWaitForAListenerAreLogged(CapturedOutput output) {
		try (OutboxNodes nodes = new OutboxNodes(this.database)) {
			Outbox node = nodes.node();
			node.listeners().register("thing.happened", (event) -> {
			});
			nodes.write(node, 1, "thing.forgotten");
			nodes.write(node, 1, "thing.happened");
			nodes.jdbc().update("UPDATE outbox_event SET available_at = available_at - 61000000");
			nodes.write(node, 1, "thing.young");
			node.start();
			await().atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(output).contains("events of types [thing.forgotten] wait"));
			await().atMost(Duration.ofSeconds(30)).until(() -> nodes.count("status = 1") == 1);
			assertThat(nodes.count("status = 0 AND attempts = 0 AND owner IS NULL")).isEqualTo(2);
		}
	}

}
