package dev.outbox.sample;

import java.nio.file.Path;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.EntityExchangeResult;
import org.springframework.test.web.servlet.client.RestTestClient.ResponseSpec;

import static org.assertj.core.api.Assertions.assertThat;

class SampleTests {

	private static RunningSample sample;

	@BeforeAll
	static void start(@TempDir Path directory) {
		sample = RunningSample.startIn(directory);
	}

	@AfterAll
	static void stop() {
		sample.close();
	}

	@BeforeEach
	void forgetOrders() {
		sample.awaitDelivery();
		sample.jdbc().sql("DELETE FROM customer_order").update();
		sample.jdbc().sql("DELETE FROM shipment").update();
		sample.jdbc().sql("DELETE FROM outbox_event").update();
	}

	@Test
	void anOrderIsStoredWithItsEvent() {
		EntityExchangeResult<PlacedOrder> response = post("{\"item\":\"book\",\"quantity\":1}").expectStatus()
			.isCreated()
			.expectBody(PlacedOrder.class)
			.returnResult();
		PlacedOrder order = response.getResponseBody();
		assertThat(order.item()).isEqualTo("book");
		assertThat(order.quantity()).isEqualTo(1);
		assertThat(response.getResponseHeaders().getLocation()).hasPath("/orders/" + order.id());
		assertThat(sample.jdbc().sql("SELECT id, item, quantity FROM customer_order").query(StoredOrder.class).list())
			.containsExactly(new StoredOrder(order.id(), "book", 1));
		assertThat(sample.jdbc()
			.sql("SELECT event_type, aggregate_type, aggregate_id, event_key, payload FROM outbox_event")
			.query(StoredEvent.class)
			.list())
			.containsExactly(new StoredEvent("OrderPlaced", "Order", order.id(), order.id(),
					"{\"orderId\":\"%s\",\"item\":\"book\",\"quantity\":1}".formatted(order.id())));
	}

	@Test
	void eachOrderIsShippedOnceAndConfirmed() {
		PlacedOrder book = place("book", 1);
		PlacedOrder pen = place("pen", 12);
		sample.awaitDelivery();
		sample.http()
			.get()
			.uri("/shipments")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(PlannedShipment[].class)
			.value((shipments) -> assertThat(shipments).containsExactlyInAnyOrder(
					new PlannedShipment(book.id(), "book", 1), new PlannedShipment(pen.id(), "pen", 12)));
		sample.http()
			.get()
			.uri("/mails")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(String[].class)
			.value((mails) -> assertThat(mails).contains("Thank you for order " + book.id() + ": 1 x book",
					"Thank you for order " + pen.id() + ": 12 x pen"));
	}

	@Test
	void ordersAreListed() {
		PlacedOrder book = place("book", 1);
		PlacedOrder pen = place("pen", 12);
		sample.http()
			.get()
			.uri("/orders")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(PlacedOrder[].class)
			.value((orders) -> assertThat(orders).containsExactlyInAnyOrder(book, pen));
	}

	@Test
	void anOrderIsFoundWhereItsLocationSays() {
		PlacedOrder order = place("book", 1);
		sample.http()
			.get()
			.uri("/orders/" + order.id())
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(PlacedOrder.class)
			.isEqualTo(order);
		sample.http().get().uri("/orders/unknown").exchange().expectStatus().isNotFound();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "not json", "{", "[]", "{}", "{\"item\":\"book\"}", "{\"quantity\":1}",
			"{\"item\":null,\"quantity\":1}", "{\"item\":\"  \",\"quantity\":1}", "{\"item\":\"book\",\"quantity\":0}",
			"{\"item\":\"book\",\"quantity\":-1}", "{\"item\":\"book\",\"quantity\":1.5}",
			"{\"item\":\"book\",\"quantity\":null}", "{\"item\":\"book\",\"quantity\":\"many\"}",
			"{\"item\":\"book\",\"quantity\":99999999999}", "{\"item\":\"bo\\u0000ok\",\"quantity\":1}",
			"{\"item\":\"bo\\ud800ok\",\"quantity\":1}" })
	void invalidInputIsRefusedAndNothingIsStored(String body) {
		post(body).expectStatus()
			.isBadRequest()
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.expectBody()
			.jsonPath("$.status")
			.isEqualTo(400);
		assertNothingIsStored();
	}

	@Test
	void anItemThatIsTooLongIsRefused() {
		place("x".repeat(200), 1);
		post("{\"item\":\"%s\",\"quantity\":1}".formatted("x".repeat(201))).expectStatus()
			.isBadRequest()
			.expectBody()
			.jsonPath("$.fields.item")
			.isEqualTo("size must be between 0 and 200");
		assertThat(sample.count("customer_order")).isOne();
	}

	@Test
	void noOrderIsStoredIfItsEventCannotBe() {
		sample.jdbc().sql("ALTER TABLE outbox_event RENAME TO outbox_event_away").update();
		try {
			post("{\"item\":\"book\",\"quantity\":1}").expectStatus().is5xxServerError();
		}
		finally {
			sample.jdbc().sql("ALTER TABLE outbox_event_away RENAME TO outbox_event").update();
		}
		assertNothingIsStored();
	}

	private static void assertNothingIsStored() {
		assertThat(sample.count("customer_order")).isZero();
		assertThat(sample.count("outbox_event")).isZero();
	}

	private static PlacedOrder place(String item, int quantity) {
		return post("{\"item\":\"%s\",\"quantity\":%d}".formatted(item, quantity)).expectStatus()
			.isCreated()
			.expectBody(PlacedOrder.class)
			.returnResult()
			.getResponseBody();
	}

	private static ResponseSpec post(String body) {
		return sample.http().post().uri("/orders").contentType(MediaType.APPLICATION_JSON).body(body).exchange();
	}

	/**
	 * An order as a client sees it.
	 */
	private record PlacedOrder(String id, String item, int quantity, String placedAt) {

	}

	/**
	 * A shipment as a client sees it, without what chance makes of it.
	 */
	private record PlannedShipment(String orderId, String item, int quantity) {

	}

	private record StoredOrder(String id, String item, int quantity) {

	}

	private record StoredEvent(String eventType, String aggregateType, String aggregateId, String eventKey,
			String payload) {

	}

}
