package dev.outbox;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link EventType} and {@link AggregateType}.
 */
class EventTypeTests {

	@Test
	void nameOfAnEnumConstantIsTheStoredName() {
		EventType eventType = Orders.ORDER_PLACED;
		AggregateType aggregateType = Orders.ORDER_PLACED;
		assertThat(eventType.name()).isEqualTo("ORDER_PLACED");
		assertThat(aggregateType.name()).isEqualTo("ORDER_PLACED");
	}

	@Test
	void namesAreEqualIfTheirTextIs() {
		assertThat(EventType.of("A")).isEqualTo(EventType.of("A")).isNotEqualTo(EventType.of("B")).hasToString("A");
		assertThat(AggregateType.of("A")).isEqualTo(AggregateType.of("A"))
			.isNotEqualTo(AggregateType.of("B"))
			.hasToString("A");
		assertThat(EventType.of("A").name()).isEqualTo("A");
		assertThat(AggregateType.of("A").name()).isEqualTo("A");
	}

	@Test
	void globalIsTheNameOfTheSpecification() {
		assertThat(AggregateType.GLOBAL.name()).isEqualTo("__GLOBAL__");
	}

	@Test
	void namesMustFitTheirColumns() {
		assertThat(EventType.of("x".repeat(128)).name()).hasSize(128);
		assertThat(AggregateType.of("x".repeat(64)).name()).hasSize(64);
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> EventType.of("x".repeat(129)))
			.withMessageContaining("eventType");
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> AggregateType.of("x".repeat(65)))
			.withMessageContaining("aggregateType");
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> EventType.of(""));
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> AggregateType.of("a\nb"));
	}

	@Test
	void ownImplementationsAreCheckedWhenTheyAreUsed() {
		EventType tooLong = () -> "x".repeat(129);
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> EventEnvelope.builder(tooLong));
		AggregateType empty = () -> "";
		assertThatExceptionOfType(InvalidEventException.class)
			.isThrownBy(() -> EventEnvelope.builder("T").aggregateType(empty));
	}

	enum Orders implements EventType, AggregateType {

		ORDER_PLACED

	}

}
