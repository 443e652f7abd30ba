package dev.outbox;

import java.util.stream.Stream;

/**
 * Texts that some database refuses or returns changed.
 */
final class UnstorableText {

	/**
	 * Part of every text here; must not show up in any message.
	 */
	static final String SECRET = "s3cr3t";

	private UnstorableText() {
	}

	/**
	 * NUL and unpaired surrogates, which no text may have.
	 */
	static Stream<String> withoutRepair() {
		return Stream.of(SECRET + "\0", "\0" + SECRET, SECRET + "\ud83d", "\ude00" + SECRET, SECRET + "\ude00\ud83d",
				"\ud83d" + SECRET, SECRET + "\ud83d\ud83d\ude00", "\ud83d\ude00\ude00" + SECRET);
	}

	/**
	 * The above and control characters.
	 */
	static Stream<String> inOneLine() {
		return Stream.concat(withoutRepair(),
				Stream.of("\r", "\n", "\t", "\u0001", "\u001b[2J", "\u001f", "\u007f", "\u0080", "\u0085", "\u009f")
					.map((controls) -> SECRET + controls));
	}

}
