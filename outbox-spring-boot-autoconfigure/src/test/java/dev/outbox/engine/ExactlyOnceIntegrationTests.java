package dev.outbox.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.outbox.dispatch.DispatchStatistics;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that without faults each event is delivered exactly once, though three nodes poll
 * every millisecond and half of the events take the hot path meanwhile.
 */
@EachDatabase
class ExactlyOnceIntegrationTests {

	private static final int PER_TRANSACTION = 100;

	private final int transactions;

	private final OutboxNodes nodes;

	private final DeliveryLog log = new DeliveryLog();

	ExactlyOnceIntegrationTests(TestDatabase database) {
		this.transactions = (database == TestDatabase.POSTGRESQL) ? 1000 : 100;
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void threeNodesDeliverEachEventOnce() {
		List<Outbox> all = List.of(start(), start(), start());
		Rows rows = new Rows(this.nodes, all.get(0));
		List<String> events = new ArrayList<>();
		for (int i = 0; i < this.transactions; i++) {
			events.addAll(rows.write(all.get(i % all.size()), "Placed", PER_TRANSACTION));
		}
		rows.awaitAllFinished();
		this.log.assertOnceEach(events);
		assertThat(this.nodes.count("status = 1 AND owner IS NULL AND attempts = 0 AND reclaims = 0"))
			.isEqualTo(events.size());
		List<DispatchStatistics> statistics = all.stream()
			.map((node) -> Objects.requireNonNull(node.statistics()))
			.toList();
		assertThat(statistics).allSatisfy((node) -> {
			assertThat(node.hotEnqueued()).isPositive();
			assertThat(node.coldEnqueued()).isPositive();
			assertThat(node.fenced()).isZero();
			assertThat(node.phantomsAverted()).isZero();
		});
		assertThat(statistics.stream().mapToLong((node) -> node.hotEnqueued() + node.coldEnqueued()).sum())
			.isEqualTo(events.size());
		assertThat(statistics.stream().mapToLong(DispatchStatistics::delivered).sum()).isEqualTo(events.size());
	}

	private Outbox start() {
		Outbox node = this.nodes.node("poll.interval=1ms", "poll.floor=1ms", "dispatch.hot-max-per-transaction=50");
		node.listeners().register("Placed", this.log);
		node.start();
		return node;
	}

}
