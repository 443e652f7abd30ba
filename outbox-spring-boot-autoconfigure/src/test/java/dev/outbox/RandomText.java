package dev.outbox;

import java.util.Random;

/**
 * Random strings in which the difficult characters are frequent: controls, limits of the
 * UTF-8 lengths, surrogates in and out of pairs.
 */
final class RandomText {

	private static final int[] LIMITS = { 0, 0x1f, 0x20, 0x7e, 0x7f, 0x80, 0x9f, 0xa0, 0x7ff, 0x800, 0xd7ff, 0xe000,
			0xffff, 0x10000, 0x10ffff, '\r', '\n', '\t', ':', '.', '-' };

	private RandomText() {
	}

	/**
	 * Any string, valid Unicode or not.
	 */
	static String next(Random random, int maxLength) {
		StringBuilder text = new StringBuilder();
		int length = random.nextInt(maxLength + 1);
		for (int i = 0; i < length; i++) {
			switch (random.nextInt(16)) {
				case 0 -> text.appendCodePoint(LIMITS[random.nextInt(LIMITS.length)]);
				case 1 -> text.append((char) (Character.MIN_SURROGATE + random.nextInt(2048)));
				case 2 -> text.appendCodePoint(codePoint(random));
				default -> text.append((char) ('0' + random.nextInt(75)));
			}
		}
		return text.toString();
	}

	/**
	 * Valid Unicode of all lengths, without NUL.
	 */
	static String nextValid(Random random, int maxLength) {
		StringBuilder text = new StringBuilder();
		int length = random.nextInt(maxLength + 1);
		for (int i = 0; i < length; i++) {
			int limit = LIMITS[random.nextInt(LIMITS.length)];
			text.appendCodePoint((random.nextBoolean() && limit != 0) ? limit : codePoint(random));
		}
		return text.toString();
	}

	private static int codePoint(Random random) {
		int codePoint = 1 + random.nextInt(1 << (1 + random.nextInt(20)));
		return (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) ? 'x' : codePoint;
	}

}
