package dev.outbox.serialize;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.outbox.EventPayload;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link JacksonEventSerializer}.
 */
class JacksonEventSerializerTests {

	private static final String SECRET = "s3cr3t";

	private final EventSerializer serializer = new JacksonEventSerializer(JsonMapper.builder().build());

	@Test
	void writesJsonText() {
		EventPayload payload = this.serializer.serialize(new OrderPlaced("4711", new BigDecimal("1.10"), null));
		assertThat(payload).isInstanceOf(EventPayload.Text.class)
			.isEqualTo(EventPayload.text("{\"orderId\":\"4711\",\"total\":1.10,\"placedAt\":null}"));
	}

	@Test
	void readsWhatItWrote() {
		OrderPlaced event = new OrderPlaced("4711 ä😀\n\0", new BigDecimal("1.10"),
				Instant.parse("2026-10-25T01:30:00.123456789Z"));
		assertThat(this.serializer.deserialize(this.serializer.serialize(event), OrderPlaced.class)).isEqualTo(event);
	}

	@Test
	void readsBytesAsWell() {
		EventPayload payload = EventPayload.bytes("{\"orderId\":\"ä\"}".getBytes(StandardCharsets.UTF_8));
		assertThat(this.serializer.deserialize(payload, OrderPlaced.class).orderId()).isEqualTo("ä");
	}

	@Test
	void writesAndReadsTheWayItsMapperIsConfigured() {
		EventSerializer snakes = new JacksonEventSerializer(
				JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build());
		OrderPlaced event = new OrderPlaced("4711", null, null);
		EventPayload payload = snakes.serialize(event);
		assertThat(payload).isEqualTo(EventPayload.text("{\"order_id\":\"4711\",\"total\":null,\"placed_at\":null}"));
		assertThat(snakes.deserialize(payload, OrderPlaced.class)).isEqualTo(event);
	}

	@Test
	void classNamesInAPayloadMeanNothing() {
		EventPayload payload = EventPayload.text("{\"value\":{\"@class\":\"java.io.File\",\"path\":\"x\"}}");
		assertThat(this.serializer.deserialize(payload, Untyped.class).value())
			.isEqualTo(Map.of("@class", "java.io.File", "path", "x"));
	}

	@Test
	void failureToWriteNamesTheClassAndThePropertyOnly() {
		assertThatExceptionOfType(EventSerializationException.class)
			.isThrownBy(() -> this.serializer.serialize(new Failing()))
			.withMessageContaining(Failing.class.getName() + " could not be written as JSON")
			.withMessageContaining("broken")
			.satisfies(JacksonEventSerializerTests::assertTellsNothing);
	}

	@Test
	void failureToWriteDoesNotShowTheKeysOfMaps() {
		assertThatExceptionOfType(EventSerializationException.class)
			.isThrownBy(() -> this.serializer.serialize(new WithMap(Map.of(SECRET, new Failing()))))
			.satisfies(JacksonEventSerializerTests::assertTellsNothing);
	}

	@Test
	void endlessObjectFailsWithoutTakingTheThreadAlong() {
		assertThatExceptionOfType(EventSerializationException.class)
			.isThrownBy(() -> this.serializer.serialize(new Endless()))
			.withMessageContaining(Endless.class.getName())
			.satisfies((failure) -> assertThat(failure.getMessage()).hasSizeLessThan(2000));
	}

	@Test
	void failureToReadDoesNotShowTheContent() {
		List<String> payloads = List.of("{\"orderId\":" + SECRET, "{\"total\":\"" + SECRET + "\"}",
				"{\"placedAt\":\"" + SECRET + "\"}", "\"" + SECRET + "\"", "[\"" + SECRET + "\"]", SECRET,
				"{\"orderId\":{\"" + SECRET + "\":1}}", "{\"orderId\":\"x\"} " + SECRET);
		for (String payload : payloads) {
			for (EventPayload form : List.of(EventPayload.text(payload),
					EventPayload.bytes(payload.getBytes(StandardCharsets.UTF_8)))) {
				assertThatExceptionOfType(EventSerializationException.class).as(payload)
					.isThrownBy(() -> this.serializer.deserialize(form, OrderPlaced.class))
					.withMessageContaining(OrderPlaced.class.getName() + " could not be read from JSON")
					.satisfies(JacksonEventSerializerTests::assertTellsNothing);
			}
		}
	}

	@Test
	void failureToReadDoesNotShowTheKeysOfMapsNorUnknownNames() {
		EventPayload inMap = EventPayload.text("{\"amounts\":{\"" + SECRET + "\":\"x\"}}");
		assertThatExceptionOfType(EventSerializationException.class)
			.isThrownBy(() -> this.serializer.deserialize(inMap, Amounts.class))
			.withMessageContaining("amounts")
			.satisfies(JacksonEventSerializerTests::assertTellsNothing);
		EventSerializer strict = new JacksonEventSerializer(
				JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build());
		EventPayload unknown = EventPayload.text("{\"" + SECRET + "\":1}");
		assertThatExceptionOfType(EventSerializationException.class)
			.isThrownBy(() -> strict.deserialize(unknown, OrderPlaced.class))
			.satisfies(JacksonEventSerializerTests::assertTellsNothing);
	}

	@Test
	void nullIsNoEvent() {
		assertThatExceptionOfType(EventSerializationException.class)
			.isThrownBy(() -> this.serializer.deserialize(EventPayload.text("null"), OrderPlaced.class));
	}

	private static void assertTellsNothing(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			assertThat(cause.getMessage()).doesNotContain(SECRET);
		}
		assertThat(failure.getSuppressed()).isEmpty();
	}

	record OrderPlaced(String orderId, BigDecimal total, Instant placedAt) {

	}

	record Untyped(Object value) {

	}

	record WithMap(Map<String, Failing> values) {

	}

	record Amounts(Map<String, Integer> amounts) {

	}

	static class Failing {

		public String getBroken() {
			throw new IllegalStateException(SECRET);
		}

	}

	static class Endless {

		public List<Endless> getNext() {
			return new ArrayList<>(List.of(new Endless()));
		}

	}

}
