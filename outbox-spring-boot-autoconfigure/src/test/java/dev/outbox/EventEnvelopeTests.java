package dev.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link EventEnvelope}.
 */
class EventEnvelopeTests {

	private static final Instant TIME = Instant.parse("2026-03-29T01:30:00.123456Z");

	@Test
	void hasAllThatWasSet() {
		EventEnvelope event = EventEnvelope.builder("OrderPlaced")
			.eventId("my-id")
			.occurredAt(TIME)
			.aggregateType("Order")
			.aggregateId("4711")
			.key("customer-1")
			.tenantId("acme")
			.header("trace-id", "abc")
			.payloadJson("{\"total\":1}")
			.availableAt(TIME.plusSeconds(60))
			.build();
		assertThat(event.eventType()).isEqualTo("OrderPlaced");
		assertThat(event.eventId()).isEqualTo("my-id");
		assertThat(event.occurredAt()).isEqualTo(TIME);
		assertThat(event.aggregateType()).isEqualTo("Order");
		assertThat(event.aggregateId()).isEqualTo("4711");
		assertThat(event.key()).isEqualTo("customer-1");
		assertThat(event.tenantId()).isEqualTo("acme");
		assertThat(event.headers()).containsExactly(Map.entry("trace-id", "abc"));
		assertThat(event.payload()).isEqualTo(EventPayload.text("{\"total\":1}"));
		assertThat(event.payloadJson()).isEqualTo("{\"total\":1}");
		assertThat(event.payloadBytes()).isNull();
		assertThat(event.availableAt()).isEqualTo(TIME.plusSeconds(60));
		assertThat(event.deliverAfter()).isNull();
	}

	@Test
	void hasDefaultsForAllButTypeAndPayload() {
		Instant before = Instant.now().minusMillis(1);
		EventEnvelope event = EventEnvelope.ofJson("OrderPlaced", "{}");
		assertThat(event.eventId()).matches("[0-9A-HJKMNP-TV-Z]{26}");
		assertThat(event.occurredAt()).isBetween(before, Instant.now());
		assertThat(event.aggregateType()).isEqualTo("__GLOBAL__").isEqualTo(AggregateType.GLOBAL.name());
		assertThat(event.aggregateId()).isNull();
		assertThat(event.key()).isNull();
		assertThat(event.tenantId()).isNull();
		assertThat(event.headers()).isEmpty();
		assertThat(event.availableAt()).isNull();
		assertThat(event.deliverAfter()).isNull();
	}

	@Test
	void idsOfOneBuilderDiffer() {
		EventEnvelope.Builder builder = EventEnvelope.builder("OrderPlaced").payloadJson("{}");
		assertThat(builder.build().eventId()).isLessThan(builder.build().eventId());
	}

	@Test
	void keyIsTheAggregateIdUnlessSet() {
		assertThat(minimal().aggregateId("4711").build().key()).isEqualTo("4711");
		assertThat(minimal().aggregateId("4711").key("other").build().key()).isEqualTo("other");
		assertThat(minimal().key("other").aggregateId("4711").build().key()).isEqualTo("other");
	}

	@Test
	void keyCanBeNoneDespiteAnAggregateId() {
		assertThat(minimal().aggregateId("4711").key(null).build().key()).isNull();
		assertThat(minimal().key(null).aggregateId("4711").build().key()).isNull();
	}

	@Test
	void optionalFieldsCanBeTakenBack() {
		EventEnvelope event = minimal().aggregateId("4711").aggregateId(null).tenantId("acme").tenantId(null).build();
		assertThat(event.aggregateId()).isNull();
		assertThat(event.key()).isNull();
		assertThat(event.tenantId()).isNull();
	}

	@Test
	void timesAreCutToMicrosecondsAndNotRounded() {
		Instant nanos = Instant.parse("2026-12-31T23:59:59.999999999Z");
		Instant micros = Instant.parse("2026-12-31T23:59:59.999999Z");
		assertThat(minimal().occurredAt(nanos).build().occurredAt()).isEqualTo(micros);
		assertThat(minimal().availableAt(nanos).build().availableAt()).isEqualTo(micros);
		assertThat(minimal().build().occurredAt().getNano() % 1000).isZero();
	}

	@Test
	void timesMustFitTheirColumns() {
		Instant last = Instant.parse("9999-12-31T23:59:59.999999Z");
		assertThat(minimal().occurredAt(Instant.EPOCH).build().occurredAt()).isEqualTo(Instant.EPOCH);
		assertThat(minimal().occurredAt(last).build().occurredAt()).isEqualTo(last);
		for (Instant refused : List.of(Instant.EPOCH.minusNanos(1), last.plusSeconds(1), Instant.MIN, Instant.MAX)) {
			assertRefused("occurredAt", (builder) -> builder.occurredAt(refused));
			assertRefused("availableAt", (builder) -> builder.availableAt(refused));
		}
	}

	@Test
	void delayMustNotBeNegativeOrEndless() {
		Duration century = Duration.ofDays(36_500);
		assertThat(minimal().deliverAfter(Duration.ZERO).build().deliverAfter()).isEqualTo(Duration.ZERO);
		assertThat(minimal().deliverAfter(century).build().deliverAfter()).isEqualTo(century);
		assertRefused("deliverAfter", (builder) -> builder.deliverAfter(Duration.ofNanos(-1)));
		assertRefused("deliverAfter", (builder) -> builder.deliverAfter(century.plusNanos(1)));
		assertRefused("deliverAfter", (builder) -> builder.deliverAfter(Duration.ofSeconds(Long.MAX_VALUE)));
	}

	@Test
	void momentAndDelayExcludeEachOther() {
		assertRefused("deliverAfter", (builder) -> builder.availableAt(TIME).deliverAfter(Duration.ofSeconds(1)));
		assertRefused("availableAt", (builder) -> builder.deliverAfter(Duration.ofSeconds(1)).availableAt(TIME));
	}

	@Test
	void payloadIsTextOrBytesAndNeverBoth() {
		byte[] bytes = { 1, 2, 3 };
		EventEnvelope binary = EventEnvelope.builder("T").payloadBytes(bytes).build();
		assertThat(binary.payloadJson()).isNull();
		assertThat(binary.payloadBytes()).isEqualTo(bytes);
		assertThat(binary.payload()).isEqualTo(EventPayload.bytes(bytes));
		assertRefused("payload", (builder) -> builder.payloadBytes(bytes));
		assertThatExceptionOfType(InvalidEventException.class)
			.isThrownBy(() -> EventEnvelope.builder("T").payloadBytes(bytes).payloadJson("{}"))
			.withMessageContaining("payload");
	}

	@Test
	void payloadMustBeSet() {
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> EventEnvelope.builder("T").build())
			.withMessageContaining("payload")
			.satisfies((failure) -> assertThat(failure.field()).isEqualTo("payload"));
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> EventEnvelope.ofJson("T", nothing()))
			.withMessageContaining("payload");
	}

	@Test
	void payloadBytesMustNotBeNull() {
		assertThatExceptionOfType(InvalidEventException.class)
			.isThrownBy(() -> EventEnvelope.builder("T").payloadBytes(nothing()))
			.withMessageContaining("payload");
	}

	@Test
	void payloadMayBeEmpty() {
		assertThat(EventEnvelope.ofJson("T", "").payloadSize()).isZero();
		assertThat(EventEnvelope.builder("T").payloadBytes(new byte[0]).build().payloadSize()).isZero();
	}

	@Test
	void payloadSizeIsInBytes() {
		assertThat(EventEnvelope.ofJson("T", "aä€😀\n").payloadSize()).isEqualTo(1 + 2 + 3 + 4 + 1);
		assertThat(EventEnvelope.builder("T").payloadBytes(new byte[17]).build().payloadSize()).isEqualTo(17);
	}

	@Test
	void payloadTextMayHaveAnyCharacterThatAllDatabasesStore() {
		String text = "\u0001\t\r\n\u007f\u0085 \\u0000 \uffff\ufeff\u2028😀";
		assertThat(EventEnvelope.ofJson("T", text).payloadJson()).isEqualTo(text);
	}

	@ParameterizedTest
	@MethodSource("dev.outbox.UnstorableText#withoutRepair")
	void payloadTextThatWouldComeBackDifferentlyIsRefused(String text) {
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> EventEnvelope.ofJson("T", text))
			.withMessageContaining("payload")
			.withMessageNotContaining(UnstorableText.SECRET);
	}

	@Test
	void bytesAreCopiedInAndOut() {
		byte[] bytes = { 1, 2, 3 };
		EventPayload payload = EventPayload.bytes(bytes);
		EventEnvelope event = EventEnvelope.builder("T").payload(payload).build();
		bytes[0] = 99;
		byte[] out = event.payloadBytes();
		assertThat(out).containsExactly(1, 2, 3);
		out[1] = 99;
		((EventPayload.Bytes) event.payload()).value()[2] = 99;
		assertThat(event.payloadBytes()).containsExactly(1, 2, 3);
	}

	@Test
	void headersAreCopiedKeepTheirOrderAndCannotBeChanged() {
		Map<String, String> headers = new LinkedHashMap<>();
		for (int i = 20; i > 0; i--) {
			headers.put("h" + i, "v" + i);
		}
		Map<String, String> before = new LinkedHashMap<>(headers);
		EventEnvelope.Builder builder = minimal().headers(headers);
		EventEnvelope event = builder.build();
		headers.clear();
		builder.header("later", "x");
		assertThat(event.headers()).containsExactlyEntriesOf(before);
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> event.headers().put("more", "x"));
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> minimal().build().headers().put("more", "x"));
	}

	@Test
	void headersAddToEachOtherAndTheLastValueCounts() {
		EventEnvelope event = minimal().header("a", "1").headers(Map.of("b", "2")).header("a", "3").build();
		assertThat(event.headers()).containsExactly(Map.entry("a", "3"), Map.entry("b", "2"));
	}

	@Test
	void headersSizeCountsNamesAndValuesInBytes() {
		assertThat(minimal().header("name", "ä€😀").header("b", "").build().headersSize()).isEqualTo(4 + 9 + 1);
		assertThat(minimal().build().headersSize()).isZero();
	}

	@Test
	void typesMayBeEnumConstants() {
		EventEnvelope event = EventEnvelope.builder(Events.ORDER_PLACED)
			.aggregateType(Aggregates.ORDER)
			.payloadJson("{}")
			.build();
		assertThat(event.eventType()).isEqualTo("ORDER_PLACED");
		assertThat(event.aggregateType()).isEqualTo("ORDER");
		assertThat(EventEnvelope.ofJson(Events.ORDER_PLACED, "[]").eventType()).isEqualTo("ORDER_PLACED");
		assertThat(EventEnvelope.ofJson(Events.ORDER_PLACED, "[]").payloadJson()).isEqualTo("[]");
	}

	@Test
	void equalsComparesEverything() {
		EventEnvelope event = full().build();
		assertThat(event).isEqualTo(full().build()).hasSameHashCodeAs(full().build());
		assertThat(event).isNotEqualTo("event").isNotEqualTo(null);
		List<UnaryOperator<EventEnvelope.Builder>> changes = List.of((builder) -> builder.eventId("other"),
				(builder) -> builder.occurredAt(TIME.plusNanos(1000)), (builder) -> builder.aggregateType("Other"),
				(builder) -> builder.aggregateId("other").key("key"), (builder) -> builder.key("other"),
				(builder) -> builder.tenantId("other"), (builder) -> builder.header("more", "x"),
				(builder) -> builder.availableAt(TIME));
		assertThat(changes).allSatisfy((change) -> assertThat(change.apply(full()).build()).isNotEqualTo(event));
		assertThat(minimal().eventId("a").occurredAt(TIME).deliverAfter(Duration.ofSeconds(1)).build())
			.isNotEqualTo(minimal().eventId("a").occurredAt(TIME).deliverAfter(Duration.ofSeconds(2)).build());
		assertThat(EventEnvelope.builder("A").eventId("a").occurredAt(TIME).payloadJson("1").build())
			.isNotEqualTo(EventEnvelope.builder("B").eventId("a").occurredAt(TIME).payloadJson("1").build())
			.isNotEqualTo(EventEnvelope.builder("A").eventId("a").occurredAt(TIME).payloadJson("2").build())
			.isNotEqualTo(
					EventEnvelope.builder("A").eventId("a").occurredAt(TIME).payloadBytes("1".getBytes()).build());
	}

	@Test
	void toStringShowsTypeAndIdOnly() {
		EventEnvelope event = full().build();
		assertThat(event).hasToString("EventEnvelope[OrderPlaced my-id]");
		assertThat(EventPayload.text("secret")).hasToString("Text[6 characters]");
		assertThat(EventPayload.bytes("secret".getBytes())).hasToString("Bytes[6]");
	}

	@Test
	void toBuilderGivesAnEqualEvent() {
		EventEnvelope event = full().build();
		assertThat(event.toBuilder().build()).isEqualTo(event);
		EventEnvelope delayed = EventEnvelope.builder("T")
			.deliverAfter(Duration.ofHours(1))
			.payloadBytes(new byte[] { 1 })
			.aggregateId("4711")
			.key(null)
			.build();
		assertThat(delayed.toBuilder().build()).isEqualTo(delayed);
		assertThat(delayed.toBuilder().build().key()).isNull();
	}

	@Test
	void toBuilderLeavesTheOriginalAlone() {
		EventEnvelope event = full().build();
		EventEnvelope copy = event.toBuilder().tenantId("other").header("more", "x").build();
		assertThat(copy.tenantId()).isEqualTo("other");
		assertThat(copy.headers()).containsOnlyKeys("trace-id", "more");
		assertThat(event).isEqualTo(full().build());
	}

	@Test
	void toBuilderLetsTheKeyFollowTheAggregateIdUnlessItHasItsOwn() {
		EventEnvelope follows = minimal().aggregateId("1").build();
		assertThat(follows.toBuilder().aggregateId("2").build().key()).isEqualTo("2");
		EventEnvelope own = minimal().aggregateId("1").key("k").build();
		assertThat(own.toBuilder().aggregateId("2").build().key()).isEqualTo("k");
		EventEnvelope none = minimal().aggregateId("1").key(null).build();
		assertThat(none.toBuilder().aggregateId("2").build().key()).isNull();
	}

	/**
	 * Hooks replace events this way, for example to encrypt what is stored.
	 */
	@Test
	void toBuilderLetsADelayReplaceAMomentAndTheOtherWayRound() {
		Instant moment = Instant.parse("2031-01-01T00:00:00Z");
		EventEnvelope atMoment = EventEnvelope.builder("Type").payloadJson("{}").availableAt(moment).build();
		EventEnvelope delayed = atMoment.toBuilder().deliverAfter(Duration.ofMinutes(1)).build();
		assertThat(delayed.availableAt()).isNull();
		assertThat(delayed.deliverAfter()).isEqualTo(Duration.ofMinutes(1));
		assertThat(delayed.toBuilder().availableAt(moment).build()).isEqualTo(atMoment);
	}

	@Test
	void toBuilderLetsThePayloadBeReplaced() {
		EventEnvelope event = full().build();
		assertThat(event.toBuilder().payloadBytes(new byte[] { 1 }).build().payloadBytes()).containsExactly(1);
		assertThat(event.toBuilder().payloadJson("[]").build().payloadJson()).isEqualTo("[]");
	}

	@Test
	void refusalsNameTheFieldAndNotTheValue() {
		Map<String, UnaryOperator<EventEnvelope.Builder>> setters = new HashMap<>();
		setters.put("eventId", (builder) -> builder.eventId("secret\n"));
		setters.put("aggregateType", (builder) -> builder.aggregateType("secret\n"));
		setters.put("aggregateId", (builder) -> builder.aggregateId("secret\n"));
		setters.put("key", (builder) -> builder.key("secret\n"));
		setters.put("tenantId", (builder) -> builder.tenantId("secret\n"));
		setters.put("headers.trace", (builder) -> builder.header("trace", "secret\n"));
		assertThat(setters)
			.allSatisfy((field, setter) -> assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> {
				setter.apply(minimal());
			}).withMessageStartingWith("Event field '" + field + "' ").withMessageNotContaining("secret"));
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> EventEnvelope.builder("secret\n"))
			.withMessageStartingWith("Event field 'eventType' ")
			.withMessageNotContaining("secret");
	}

	@Test
	void requiredFieldsMustNotBeNull() {
		assertThatExceptionOfType(InvalidEventException.class)
			.isThrownBy(() -> EventEnvelope.builder((String) nothing()))
			.withMessageContaining("eventType");
		assertRefused("eventId", (builder) -> builder.eventId(nothing()));
		assertRefused("aggregateType", (builder) -> builder.aggregateType((String) nothing()));
	}

	private static void assertRefused(String field, UnaryOperator<EventEnvelope.Builder> setter) {
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> setter.apply(minimal()))
			.satisfies((failure) -> assertThat(failure.field()).isEqualTo(field));
	}

	private static EventEnvelope.Builder minimal() {
		return EventEnvelope.builder("OrderPlaced").payloadJson("{}");
	}

	private static EventEnvelope.Builder full() {
		return EventEnvelope.builder("OrderPlaced")
			.eventId("my-id")
			.occurredAt(TIME)
			.aggregateType("Order")
			.aggregateId("secret-aggregate")
			.key("key")
			.tenantId("secret-tenant")
			.header("trace-id", "secret-header")
			.payloadJson("{\"secret\":1}")
			.availableAt(TIME.plusSeconds(60));
	}

	/**
	 * What callers without null checks pass.
	 */
	@SuppressWarnings("TypeParameterUnusedInFormals")
	private static <T> T nothing() {
		return null;
	}

	enum Events implements EventType {

		ORDER_PLACED

	}

	enum Aggregates implements AggregateType {

		ORDER

	}

}
