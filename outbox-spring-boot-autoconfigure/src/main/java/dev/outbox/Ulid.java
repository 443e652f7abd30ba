package dev.outbox;

import java.security.SecureRandom;

/**
 * Makes ULIDs: 48 bits of milliseconds and 80 random bits as 26 characters that sort by
 * time. Ids of one JVM are strictly increasing: within a millisecond, or when the clock
 * steps back, the random part of the previous id is counted up by one.
 */
final class Ulid {

	private static final char[] ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".toCharArray();

	private static final SecureRandom RANDOM = new SecureRandom();

	private static final Object LOCK = new Object();

	private static long lastMillis;

	private static int lastHigh;

	private static long lastLow;

	private Ulid() {
	}

	static String next() {
		return next(System.currentTimeMillis());
	}

	static String next(long now) {
		long millis;
		int high;
		long low;
		synchronized (LOCK) {
			if (now > lastMillis) {
				lastMillis = now;
				lastHigh = RANDOM.nextInt(1 << 16);
				lastLow = RANDOM.nextLong();
			}
			else if (++lastLow == 0 && ++lastHigh == 1 << 16) {
				lastHigh = 0;
				lastMillis++;
			}
			millis = lastMillis;
			high = lastHigh;
			low = lastLow;
		}
		return encode(millis, high, low);
	}

	private static String encode(long millis, int high, long low) {
		char[] chars = new char[26];
		for (int i = 9; i >= 0; i--) {
			chars[i] = ALPHABET[(int) (millis & 31)];
			millis >>>= 5;
		}
		long upper = ((long) high << 24) | (low >>> 40);
		long lower = low & 0xff_ffff_ffffL;
		for (int i = 17, j = 25; i >= 10; i--, j--) {
			chars[i] = ALPHABET[(int) (upper & 31)];
			chars[j] = ALPHABET[(int) (lower & 31)];
			upper >>>= 5;
			lower >>>= 5;
		}
		return new String(chars);
	}

}
