package dev.outbox;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link StorableText}.
 */
class StorableTextTests {

	@Test
	void countsBytesLikeTheEncoder() {
		Random random = new Random(7);
		for (int i = 0; i < 50_000; i++) {
			String text = RandomText.nextValid(random, 20);
			assertThat(StorableText.check("field", text, StorableText.Rule.NO_NUL)).as(text)
				.isEqualTo(text.getBytes(StandardCharsets.UTF_8).length);
		}
	}

	@Test
	void acceptsExactlyWhatAStrictEncoderTakesAndHasNoNul() {
		Random random = new Random(8);
		int refused = 0;
		for (int i = 0; i < 100_000; i++) {
			String text = RandomText.next(random, 8);
			if (text.indexOf('\0') < 0 && strictLength(text) >= 0) {
				assertThat(StorableText.check("field", text, StorableText.Rule.NO_NUL)).isEqualTo(strictLength(text));
			}
			else {
				assertThatExceptionOfType(InvalidEventException.class)
					.isThrownBy(() -> StorableText.check("field", text, StorableText.Rule.NO_NUL));
				refused++;
			}
		}
		assertThat(refused).isGreaterThan(1000);
	}

	@Test
	void treatsEachCharacterOfTheBasicPlaneAsItsRuleSays() {
		for (int c = 0; c <= Character.MAX_VALUE; c++) {
			String text = String.valueOf((char) c);
			boolean surrogate = Character.isSurrogate((char) c);
			assertThat(isAccepted(text, StorableText.Rule.NO_NUL)).as("U+%04X", c).isEqualTo(c != 0 && !surrogate);
			assertThat(isAccepted(text, StorableText.Rule.NO_CONTROL_CHARACTERS)).as("U+%04X", c)
				.isEqualTo(!Character.isISOControl(c) && !surrogate);
		}
	}

	@ParameterizedTest
	@CsvSource({ "0, U+0000", "10, U+000A", "127, U+007F", "133, U+0085" })
	void saysWhichControlCharacterIsWhere(int character, String name) {
		assertThatExceptionOfType(InvalidEventException.class)
			.isThrownBy(
					() -> StorableText.check("field", "ab" + (char) character, StorableText.Rule.NO_CONTROL_CHARACTERS))
			.withMessage("Event field 'field' contains the control character %s at index 2".formatted(name));
	}

	@Test
	void saysWhereHalfAPairIs() {
		assertThatExceptionOfType(InvalidEventException.class)
			.isThrownBy(() -> StorableText.check("field", "😀\ud83d", StorableText.Rule.NO_NUL))
			.withMessageContaining("half of a surrogate pair at index 2");
	}

	private static boolean isAccepted(String text, StorableText.Rule rule) {
		try {
			StorableText.check("field", text, rule);
			return true;
		}
		catch (InvalidEventException ex) {
			return false;
		}
	}

	private static int strictLength(String text) {
		try {
			ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
			return bytes.remaining();
		}
		catch (CharacterCodingException ex) {
			return -1;
		}
	}

}
