package dev.outbox;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link EventHeaders}.
 */
class EventHeadersTests {

	@ParameterizedTest
	@ValueSource(strings = { "a", "Trace-Id", "x.y_z-0", "0", "-", "OUTBOX", "outboxes.x", "x.outbox.y" })
	void takesOrdinaryNames(String name) {
		assertThatNoException().isThrownBy(() -> EventHeaders.check(name, "x"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a b", "a:b", "a\n", "\na", "a\r\nb: c", "a\0", "ä", "😀", "a/b", "a\"" })
	void refusesNamesThatMeanSomethingElseInAProtocol(String name) {
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> EventHeaders.check(name, "x"))
			.satisfies((failure) -> assertThat(failure.field()).isEqualTo("headers"))
			.satisfies((failure) -> assertThat(failure.getMessage()).matches("[ -~]+"));
	}

	@Test
	void namesHaveAtMost128Characters() {
		assertThatNoException().isThrownBy(() -> EventHeaders.check("n".repeat(128), "x"));
		assertThatExceptionOfType(InvalidEventException.class)
			.isThrownBy(() -> EventHeaders.check("n".repeat(129), "x"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "outbox.", "outbox.id", "OUTBOX.id", "OutBox.Attempt" })
	void reservesThePrefixOfTheOutboxItself(String name) {
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> EventHeaders.check(name, "x"))
			.withMessageContaining("'outbox.' is reserved");
	}

	@Test
	void refusesNullInNamesAndValues() {
		Map<String, String> nullName = new HashMap<>();
		nullName.put(null, "x");
		Map<String, String> nullValue = new HashMap<>();
		nullValue.put("trace", null);
		EventEnvelope.Builder builder = EventEnvelope.builder("T");
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> builder.headers(nullName))
			.withMessageContaining("headers");
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> builder.headers(nullValue))
			.withMessage("Event field 'headers.trace' must not be null");
	}

	@ParameterizedTest
	@MethodSource("dev.outbox.UnstorableText#inOneLine")
	void refusesValuesThatCouldEndAHeaderOrALogLine(String value) {
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> EventHeaders.check("trace", value))
			.withMessageStartingWith("Event field 'headers.trace' ")
			.withMessageNotContaining(UnstorableText.SECRET)
			.satisfies((failure) -> assertThat(failure.getMessage()).matches("[ -~]+"));
	}

	@Test
	void takesAnyOtherValue() {
		assertThatNoException().isThrownBy(() -> EventHeaders.check("a", ""));
		assertThatNoException().isThrownBy(() -> EventHeaders.check("a", " ä€😀\u00a0=;,\"'"));
	}

	/**
	 * Row 57 of the failure catalogue. Whatever is accepted is one line and reads like a
	 * header; whatever is refused breaks a rule that is stated here a second time.
	 */
	@Test
	void acceptsExactlyWhatFitsIntoOneHeaderLine() {
		Random random = new Random(57);
		int accepted = 0;
		int refused = 0;
		for (int i = 0; i < 50_000; i++) {
			String name = RandomText.next(random, 6);
			String value = RandomText.next(random, 8);
			boolean fits = name.matches("[A-Za-z0-9._-]{1,128}") && isOneLine(value);
			Map<String, String> headers = new LinkedHashMap<>();
			headers.put(name, value);
			EventEnvelope.Builder builder = EventEnvelope.builder("T").payloadJson("{}");
			if (fits) {
				EventEnvelope event = builder.headers(headers).build();
				assertThat(event.headers()).isEqualTo(headers);
				assertThat(event.headersSize())
					.isEqualTo(name.length() + value.getBytes(StandardCharsets.UTF_8).length);
				accepted++;
			}
			else {
				assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> builder.headers(headers))
					.satisfies((failure) -> assertThat(failure.getMessage()).matches("[ -~]+"));
				refused++;
			}
		}
		assertThat(accepted).isGreaterThan(1000);
		assertThat(refused).isGreaterThan(1000);
	}

	private static boolean isOneLine(String value) {
		return value.codePoints().noneMatch(Character::isISOControl)
				&& new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).equals(value);
	}

}
