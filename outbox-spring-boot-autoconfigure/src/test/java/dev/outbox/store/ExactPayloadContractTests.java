package dev.outbox.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import dev.outbox.EventEnvelope;
import dev.outbox.InvalidEventException;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Contract: a payload comes back byte for byte, or is refused before the insert.
 */
@EachDatabase
class ExactPayloadContractTests {

	private final OutboxFixture outbox;

	ExactPayloadContractTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
	}

	@Test
	void textIsNotNormalised() {
		List<String> texts = List.of("", " ", "{ \"b\" : 1.10, \"a\":1, \"a\" : 2 }", "\"\\u0000\"",
				"line\r\nbreak\ttab", "trailing   ", "emoji 😀 and 𝕏", "\uFEFFbom", "'; DROP TABLE outbox_event; --",
				"\\ % _ ? :name {event} $1", "\u0001\u001f\u007f\u0085");
		for (String text : texts) {
			assertComesBack(text);
		}
	}

	@Test
	void randomTextComesBackOrIsRefused() {
		Random random = new Random(42);
		int refused = 0;
		for (int i = 0; i < 300; i++) {
			StringBuilder text = new StringBuilder();
			int length = random.nextInt(40);
			for (int c = 0; c < length; c++) {
				text.append(anyCharacter(random));
			}
			try {
				assertComesBack(text.toString());
			}
			catch (InvalidEventException ex) {
				refused++;
			}
		}
		assertThat(refused).isBetween(1, 299);
	}

	private static String anyCharacter(Random random) {
		return switch (random.nextInt(8)) {
			case 0 -> String.valueOf((char) random.nextInt(0x20));
			case 1 -> Character.toString(0x10000 + random.nextInt(0x100000));
			case 2 -> (random.nextInt(20) == 0) ? String.valueOf((char) (0xd800 + random.nextInt(0x800))) : "s";
			case 3 -> String.valueOf((char) (0x80 + random.nextInt(0x700)));
			default -> String.valueOf((char) (0x20 + random.nextInt(0x5f)));
		};
	}

	@Test
	void whatNoDatabaseCouldHoldIsRefusedBeforeTheInsert() {
		for (String text : List.of("a\u0000b", "high \uD83D", "\uDE00 low", "swapped \uDE00\uD83D")) {
			assertThatExceptionOfType(InvalidEventException.class)
				.isThrownBy(() -> EventEnvelope.ofJson("OrderPlaced", text))
				.satisfies((ex) -> assertThat(ex.field()).isEqualTo("payload"));
		}
	}

	@Test
	void severalMegabytesComeBack() {
		Random random = new Random(7);
		byte[] bytes = new byte[5 << 20];
		random.nextBytes(bytes);
		EventEnvelope event = EventEnvelope.builder("Blob").payloadBytes(bytes).build();
		this.outbox.append(event);
		assertThat(this.outbox.row(event.eventId()).envelope()).isEqualTo(event);
	}

	@Test
	void headersComeBackExactly() {
		List<EventEnvelope> events = new ArrayList<>();
		for (String value : List.of("", "a\"b\\c/d", "😀", "{\"json\":true}", "x".repeat(5000))) {
			events.add(EventEnvelope.builder("OrderPlaced").payloadJson("{}").header("h.1_-", value).build());
		}
		this.outbox.append(null, events);
		for (EventEnvelope event : events) {
			assertThat(this.outbox.row(event.eventId()).envelope().headers()).isEqualTo(event.headers());
		}
	}

	private void assertComesBack(String text) {
		EventEnvelope event = EventEnvelope.ofJson("OrderPlaced", text);
		this.outbox.append(event);
		assertThat(this.outbox.row(event.eventId()).envelope().payloadJson()).isEqualTo(text);
	}

}
