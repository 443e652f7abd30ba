package dev.outbox;

/**
 * Decides whether text survives a round trip through a UTF-8 text column of every
 * supported database, in one pass and without encoding it.
 */
final class StorableText {

	/**
	 * How strict to be about characters that are valid UTF-8.
	 */
	enum Rule {

		/**
		 * Refuse NUL only, the one valid character that PostgreSQL cannot store.
		 */
		NO_NUL,

		/**
		 * Refuse every ISO control character, so that a value can stand in a log line or
		 * in a protocol header.
		 */
		NO_CONTROL_CHARACTERS

	}

	private StorableText() {
	}

	/**
	 * Check the text and return its length in UTF-8.
	 * @param field what the text is, for the message
	 * @param text the text
	 * @param rule which characters to refuse
	 * @return the number of bytes the text takes in UTF-8
	 * @throws InvalidEventException if the text cannot be stored unchanged
	 */
	static long check(String field, String text, Rule rule) {
		long bytes = 0;
		int length = text.length();
		for (int i = 0; i < length; i++) {
			char c = text.charAt(i);
			if (c >= 0x20 && c < 0x7f) {
				bytes++;
			}
			else if (c < 0x80) {
				if (c == 0 || (rule == Rule.NO_CONTROL_CHARACTERS)) {
					throw new InvalidEventException(field,
							"contains the control character U+%04X at index %d".formatted((int) c, i));
				}
				bytes++;
			}
			else if (c < 0x800) {
				if (c < 0xa0 && rule == Rule.NO_CONTROL_CHARACTERS) {
					throw new InvalidEventException(field,
							"contains the control character U+%04X at index %d".formatted((int) c, i));
				}
				bytes += 2;
			}
			else if (!Character.isSurrogate(c)) {
				bytes += 3;
			}
			else if (Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(text.charAt(i + 1))) {
				bytes += 4;
				i++;
			}
			else {
				throw new InvalidEventException(field,
						"contains half of a surrogate pair at index " + i + ", which is not valid Unicode");
			}
		}
		return bytes;
	}

}
