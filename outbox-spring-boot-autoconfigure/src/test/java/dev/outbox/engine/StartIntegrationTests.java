package dev.outbox.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import javax.sql.DataSource;

import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests of starts that fail, at once or for the time being, and of what the first signs
 * of life are like.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	@Test
	void aStartThatFailsHalfWayLeavesNothingRunning() {
		try (OutboxNodes nodes = new OutboxNodes(TestDatabase.H2)) {
			Outbox node = nodes.node((builder) -> builder.name("refused").workers((prefix, count) -> (task) -> {
				throw new TaskRejectedException("There are no threads");
			}));
			assertThatExceptionOfType(TaskRejectedException.class).isThrownBy(node::start);
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(threadsOf("refused")).isEmpty());
		}
	}

	@Test
	void aNodeThatCannotJoinYetSaysSo(CapturedOutput output) {
		Outbox node = BuiltOutboxes.build(new DriverManagerDataSource(EngineFixture.url("without-tables")), null,
				Map.of());
		try {
			node.start();
			assertThat(output).contains("this node could not join yet, which is tried again every 500 ms")
				.containsIgnoringCase("outbox_meta")
				.contains("delivers events as a node that has not joined yet, mode: multi-node")
				.doesNotContain("cannot be reached")
				.doesNotContain("null");
		}
		finally {
			node.stop();
		}
	}

	@Test
	void aSignOfLifeThatGetsNoAnswerDoesNotTakeTheWholeLease() {
		try (OutboxNodes nodes = new OutboxNodes(TestDatabase.H2)) {
			Timeouts timeouts = new Timeouts(nodes.dataSource().dataSource());
			Outbox node = nodes.node((builder) -> builder.dataSource(timeouts), "node.heartbeat=50ms",
					"node.lease=12s");
			node.start();
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(timeouts.ofBeats).isNotEmpty());
			assertThat(timeouts.ofBeats).containsOnly(4000);
		}
	}

	private static List<String> threadsOf(String outbox) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> name.startsWith(outbox + "-"))
			.toList();
	}

	/**
	 * Remembers which time limits the heartbeat's thread sets on connections.
	 */
	private static final class Timeouts extends DelegatingDataSource {

		private final Queue<Integer> ofBeats = new ConcurrentLinkedQueue<>();

		Timeouts(DataSource target) {
			super(target);
		}

		@Override
		public Connection getConnection() throws SQLException {
			Connection connection = super.getConnection();
			return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
					(proxy, method, arguments) -> {
						if (method.getName().equals("setNetworkTimeout")
								&& Thread.currentThread().getName().endsWith("-heartbeat")
								&& (Integer) arguments[1] > 0) {
							this.ofBeats.add((Integer) arguments[1]);
						}
						try {
							return method.invoke(connection, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					});
		}

	}

}
