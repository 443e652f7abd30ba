package dev.outbox.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import dev.outbox.EventEnvelope;
import org.awaitility.Awaitility;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A node that is cut off from its database while its listeners are running, so that it
 * leaves everything as a killed process does.
 */
final class Abandoned {

	private final FaultyDataSource dataSource;

	private final Outbox node;

	private final CountDownLatch goOn = new CountDownLatch(1);

	private final DeliveryLog log = new DeliveryLog();

	private final long nodeId;

	Abandoned(OutboxNodes nodes, String... properties) {
		this.dataSource = new FaultyDataSource(nodes.dataSource().dataSource());
		this.node = nodes.node((builder) -> builder.dataSource(this.dataSource)
			.transactionManager(new JdbcTransactionManager(this.dataSource)), properties);
		this.node.listeners().register("Placed", (event) -> {
			this.log.onEvent(event);
			this.goOn.await();
		});
		this.node.start();
		this.nodeId = Objects.requireNonNull(this.node.nodeId());
	}

	/**
	 * Write events, let the workers start with some of them, and cut the node off.
	 * @return the events
	 */
	List<String> abandonInMidWork(int count) {
		List<EventEnvelope> events = IntStream.range(0, count)
			.mapToObj((i) -> EventEnvelope.ofJson("Placed", "{}"))
			.toList();
		List<String> ids = Objects.requireNonNull(new TransactionTemplate(new JdbcTransactionManager(this.dataSource))
			.execute((status) -> this.node.writer().writeAll(events)));
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.log.calls() == this.node.settings().dispatch().workers());
		this.dataSource.cut();
		return ids;
	}

	Outbox node() {
		return this.node;
	}

	/**
	 * Return the id that the node had.
	 */
	long nodeId() {
		return this.nodeId;
	}

	/**
	 * Return what its listeners were called with.
	 */
	DeliveryLog log() {
		return this.log;
	}

	/**
	 * Let the listeners return.
	 */
	void letListenersReturn() {
		this.goOn.countDown();
	}

	/**
	 * Let the node reach its database again.
	 */
	void reconnect() {
		this.dataSource.heal();
	}

	/**
	 * Let everything return to normal, so that the node can be stopped.
	 */
	void end() {
		reconnect();
		letListenersReturn();
	}

}
