package dev.outbox;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link EventField}.
 */
class EventFieldTests {

	@ParameterizedTest
	@CsvSource({ "EVENT_ID, eventId, 36", "EVENT_TYPE, eventType, 128", "AGGREGATE_TYPE, aggregateType, 64",
			"AGGREGATE_ID, aggregateId, 128", "KEY, key, 128", "TENANT_ID, tenantId, 64" })
	void isAsLongAsItsColumn(EventField field, String label, int limit) {
		String longest = "x".repeat(limit);
		assertThat(field.check(longest)).isSameAs(longest);
		assertThat(field.check("x")).isEqualTo("x");
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> field.check(longest + "x"))
			.withMessage("Event field '%s' has %d characters, the limit is %d".formatted(label, limit + 1, limit))
			.satisfies((failure) -> assertThat(failure.field()).isEqualTo(label));
	}

	@ParameterizedTest
	@EnumSource
	void charactersOutsideTheBasicPlaneCountTwice(EventField field) {
		int limit = limitOf(field);
		assertThatNoException().isThrownBy(() -> field.check("😀".repeat(limit / 2)));
		assertThatExceptionOfType(InvalidEventException.class)
			.isThrownBy(() -> field.check("😀".repeat(limit / 2) + "x".repeat(limit % 2 + 1)));
	}

	@ParameterizedTest
	@EnumSource
	void mustNotBeEmpty(EventField field) {
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> field.check(""))
			.withMessageEndingWith("must not be empty");
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> field.check(null));
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> field.checkIfPresent(""));
		assertThat(field.checkIfPresent(null)).isNull();
	}

	@ParameterizedTest
	@MethodSource("dev.outbox.UnstorableText#inOneLine")
	void refusesWhatCannotBeStoredOrLogged(String text) {
		for (EventField field : EventField.values()) {
			assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> field.check(text))
				.withMessageNotContaining(UnstorableText.SECRET)
				.satisfies((failure) -> assertThat(failure.getMessage()).matches("[ -~]+"));
		}
	}

	@ParameterizedTest
	@EnumSource
	void takesAllOtherCharacters(EventField field) {
		for (String text : new String[] { " ", "a b", "ä", "\u00a0", "€", "😀", "'; DROP TABLE", "%_\\", "\uffff" }) {
			assertThat(field.check(text)).isEqualTo(text);
		}
	}

	@Test
	void longTextIsRefusedForItsLengthWithoutBeingRead() {
		assertThatExceptionOfType(InvalidEventException.class)
			.isThrownBy(() -> EventField.EVENT_ID.check("\n".repeat(1_000_000)))
			.withMessageContaining("1000000 characters");
	}

	private static int limitOf(EventField field) {
		return switch (field) {
			case EVENT_ID -> 36;
			case EVENT_TYPE, AGGREGATE_ID, KEY -> 128;
			case AGGREGATE_TYPE, TENANT_ID -> 64;
		};
	}

}
