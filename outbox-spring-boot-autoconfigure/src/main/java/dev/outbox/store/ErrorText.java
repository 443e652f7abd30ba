package dev.outbox.store;

/**
 * Makes the text of an error storable whatever it is: characters that some database
 * refuses are replaced, and what is too long is cut.
 */
final class ErrorText {

	static final int MAX_LENGTH = 4000;

	private static final char REPLACEMENT = '\uFFFD';

	private ErrorText() {
	}

	static String storable(String text) {
		StringBuilder result = new StringBuilder(Math.min(text.length(), MAX_LENGTH));
		for (int i = 0; i < text.length();) {
			int codePoint = text.codePointAt(i);
			i += Character.charCount(codePoint);
			boolean unfit = codePoint == 0
					|| (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE);
			int stored = unfit ? REPLACEMENT : codePoint;
			if (result.length() + Character.charCount(stored) > MAX_LENGTH) {
				break;
			}
			result.appendCodePoint(stored);
		}
		return result.toString();
	}

}
