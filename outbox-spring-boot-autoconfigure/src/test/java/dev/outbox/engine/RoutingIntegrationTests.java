package dev.outbox.engine;

import java.util.Set;

import dev.outbox.AggregateType;
import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.store.EventRecord;
import dev.outbox.store.EventStatus;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of which listener gets which event.
 */
@EachDatabase
class RoutingIntegrationTests {

	private final OutboxNodes nodes;

	private final DeliveryLog log = new DeliveryLog();

	private final DeliveryLog others = new DeliveryLog();

	RoutingIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void enumsNameEventsAndWhatTheyAreAbout() {
		Outbox node = this.nodes.node();
		node.listeners().register(Subject.ORDER, Happening.PLACED, this.log);
		node.listeners().register(Subject.ORDER, Happening.SHIPPED, this.others);
		node.listeners().register(Subject.PARCEL, Happening.PLACED, this.others);
		node.start();
		Rows rows = new Rows(this.nodes, node);
		String event = rows.write(node,
				EventEnvelope.builder(Happening.PLACED)
					.aggregateType(Subject.ORDER)
					.aggregateId("7")
					.payloadJson("{}")
					.build());
		EventRecord row = rows.await(event, EventStatus.DONE);
		assertThat(row.eventType()).isEqualTo("PLACED");
		assertThat(row.aggregateType()).isEqualTo("ORDER");
		this.log.assertOnceEach(Set.of(event));
		assertThat(this.others.calls()).isZero();
	}

	@Test
	void aListenerForTheVeryAggregateTypeIsPreferredToOneForAny() {
		Outbox node = this.nodes.node();
		node.listeners().register("PLACED", this.others);
		node.listeners().register(Subject.ORDER, Happening.PLACED, this.log);
		node.start();
		Rows rows = new Rows(this.nodes, node);
		String order = rows.write(node, placed(Subject.ORDER));
		String parcel = rows.write(node, placed(Subject.PARCEL));
		String global = rows.write(node, EventEnvelope.ofJson(Happening.PLACED, "{}"));
		rows.awaitAllFinished();
		this.log.assertOnceEach(Set.of(order));
		this.others.assertOnceEach(Set.of(parcel, global));
	}

	@Test
	void anEventThatNobodyListensToWaitsForAListener() {
		Outbox node = this.nodes.node("poll.interval=50ms");
		node.listeners().register("Sentinel", this.others);
		node.start();
		Rows rows = new Rows(this.nodes, node);
		String event = rows.write(node, "Unknown");
		rows.await(rows.write(node, "Sentinel"), EventStatus.DONE);
		EventRecord row = rows.get(event);
		assertThat(row.status()).isEqualTo(EventStatus.NEW);
		assertThat(row.attempts()).isZero();
		assertThat(row.owner()).isNull();
		assertThat(row.claimNumber()).isZero();
		node.listeners().register("Unknown", this.log);
		rows.await(event, EventStatus.DONE);
		this.log.assertOnceEach(Set.of(event));
	}

	@Test
	void aNodeWithoutListenersCanGiveUpAtOnceToo() {
		Outbox node = this.nodes.node("dispatch.unroutable-after=0", "poll.interval=50ms");
		node.start();
		Rows rows = new Rows(this.nodes, node);
		rows.await(rows.write(node, "Unknown"), EventStatus.DEAD);
	}

	@Test
	void anEventThatNobodyListensToCanBeGivenUpAtOnce() {
		Outbox node = this.nodes.node("dispatch.unroutable-after=0", "poll.interval=50ms");
		node.listeners().register("Placed", this.log);
		node.start();
		Rows rows = new Rows(this.nodes, node);
		EventRecord row = rows.await(rows.write(node, "Unknown"), EventStatus.DEAD);
		assertThat(row.attempts()).isZero();
		assertThat(row.lastError()).contains("Unknown");
		assertThat(this.log.calls()).isZero();
	}

	private static EventEnvelope placed(AggregateType about) {
		return EventEnvelope.builder(Happening.PLACED).aggregateType(about).payloadJson("{}").build();
	}

	private enum Happening implements EventType {

		PLACED, SHIPPED

	}

	private enum Subject implements AggregateType {

		ORDER, PARCEL

	}

}
