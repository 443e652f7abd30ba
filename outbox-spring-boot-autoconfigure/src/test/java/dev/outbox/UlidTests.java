package dev.outbox;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;

import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Ulid}.
 */
class UlidTests {

	private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

	@Test
	void has26CharactersThatCannotBeMistaken() {
		for (int i = 0; i < 1000; i++) {
			assertThat(Ulid.next()).matches("[0-7][" + ALPHABET + "]{25}");
		}
	}

	@Test
	void startsWithTheTime() {
		long before = System.currentTimeMillis();
		String id = Ulid.next();
		assertThat(millisOf(id)).isBetween(before, System.currentTimeMillis());
	}

	@Test
	void isStrictlyIncreasingWithinAMillisecondAndBeyond() {
		String last = Ulid.next();
		for (int i = 0; i < 100_000; i++) {
			String next = Ulid.next();
			assertThat(next).isGreaterThan(last);
			last = next;
		}
	}

	@Test
	void isUniqueAndIncreasingForEachOfManyThreads() throws Exception {
		int threads = 8;
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			CyclicBarrier start = new CyclicBarrier(threads);
			Callable<List<String>> work = () -> {
				List<String> ids = new ArrayList<>(100_000);
				start.await();
				for (int i = 0; i < 100_000; i++) {
					ids.add(Ulid.next());
				}
				return ids;
			};
			List<Future<List<String>>> results = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				results.add(executor.submit(work));
			}
			Set<String> all = new HashSet<>();
			for (Future<List<String>> result : results) {
				List<String> ids = result.get();
				assertThat(ids).isSorted();
				all.addAll(ids);
			}
			assertThat(all).hasSize(threads * 100_000);
		}
		finally {
			executor.shutdownNow();
		}
	}

	@Test
	void isStillIncreasingWhenTheClockIsSetBack() {
		long now = System.currentTimeMillis();
		String last = Ulid.next(now);
		for (int hours = 0; hours < 100; hours++) {
			String next = Ulid.next(now - hours * 3_600_000L);
			assertThat(next).isGreaterThan(last);
			last = next;
		}
		assertThat(Ulid.next(now + 1)).isGreaterThan(last);
	}

	@Test
	void carriesFromTheLowRandomBitsIntoTheHighOnes() {
		withState(1_000, 7, -1L, () -> {
			String id = Ulid.next(1_000);
			assertThat(millisOf(id)).isEqualTo(1_000);
			assertThat(randomOf(id)).isEqualTo("0008" + "0".repeat(16));
		});
	}

	@Test
	void carriesIntoTheTimeWhenTheRandomBitsAreUsedUp() {
		withState(1_000, 0xffff, -2L, () -> {
			String last = Ulid.next(1_000);
			assertThat(randomOf(last)).isEqualTo("f".repeat(20));
			String next = Ulid.next(1_000);
			assertThat(next).isGreaterThan(last);
			assertThat(millisOf(next)).isEqualTo(1_001);
			assertThat(randomOf(next)).isEqualTo("0".repeat(20));
		});
	}

	@Test
	void encodesAsTheSpecificationSays() {
		withState(1_469_922_850_259L, 0xabcd, 0x0123_4567_89ab_cdeeL,
				() -> assertThat(Ulid.next(0)).isEqualTo(reference(1_469_922_850_259L, "abcd0123456789abcdef")));
		assertThat(reference(1_469_922_850_259L, "0".repeat(20))).startsWith("01ARZ3NDEK");
	}

	/**
	 * The state is that of the JVM, so it is put back.
	 */
	private static void withState(long millis, int high, long low, Runnable test) {
		Object oldMillis = ReflectionTestUtils.getField(Ulid.class, "lastMillis");
		Object oldHigh = ReflectionTestUtils.getField(Ulid.class, "lastHigh");
		Object oldLow = ReflectionTestUtils.getField(Ulid.class, "lastLow");
		ReflectionTestUtils.setField(Ulid.class, "lastMillis", millis);
		ReflectionTestUtils.setField(Ulid.class, "lastHigh", high);
		ReflectionTestUtils.setField(Ulid.class, "lastLow", low);
		try {
			test.run();
		}
		finally {
			ReflectionTestUtils.setField(Ulid.class, "lastMillis", oldMillis);
			ReflectionTestUtils.setField(Ulid.class, "lastHigh", oldHigh);
			ReflectionTestUtils.setField(Ulid.class, "lastLow", oldLow);
		}
	}

	private static long millisOf(String id) {
		return Long.parseLong(bits(id).substring(0, 50), 2);
	}

	private static String randomOf(String id) {
		String bits = bits(id).substring(50);
		StringBuilder hex = new StringBuilder();
		for (int i = 0; i < bits.length(); i += 4) {
			hex.append(Integer.toHexString(Integer.parseInt(bits.substring(i, i + 4), 2)));
		}
		return hex.toString();
	}

	private static String bits(String id) {
		StringBuilder bits = new StringBuilder();
		id.chars().forEach((c) -> bits.append(binary(ALPHABET.indexOf(c), 5)));
		return bits.toString();
	}

	/**
	 * The slow way, through a string of bits.
	 */
	private static String reference(long millis, String randomHex) {
		StringBuilder bits = new StringBuilder(binary(millis, 50));
		randomHex.chars().forEach((c) -> bits.append(binary(Character.digit(c, 16), 4)));
		StringBuilder id = new StringBuilder();
		for (int i = 0; i < bits.length(); i += 5) {
			id.append(ALPHABET.charAt(Integer.parseInt(bits.substring(i, i + 5), 2)));
		}
		return id.toString();
	}

	private static String binary(long value, int digits) {
		String binary = Long.toBinaryString(value);
		return "0".repeat(digits - binary.length()) + binary;
	}

}
