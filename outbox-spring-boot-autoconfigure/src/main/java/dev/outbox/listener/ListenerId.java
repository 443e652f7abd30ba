package dev.outbox.listener;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * Ids of listeners, which are stored with events and stand in log lines, metrics and
 * addresses, so they are short and plain.
 */
final class ListenerId {

	private static final int MAX_LENGTH = 100;

	private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._$:-]{1," + MAX_LENGTH + "}");

	private static final Pattern NOT_PLAIN = Pattern.compile("[^A-Za-z0-9._$:-]");

	private ListenerId() {
	}

	static String check(String id) {
		if (!PLAIN.matcher(id).matches()) {
			throw new IllegalArgumentException("The id of a listener must consist of letters, digits and . _ - $ :, at "
					+ "most " + MAX_LENGTH + " of them, but is '" + id + "'");
		}
		return id;
	}

	/**
	 * Make an id of a name. A name that cannot stay as it is gets a checksum, so that
	 * names that differ only in what was replaced or cut remain different.
	 */
	static String from(String name) {
		if (PLAIN.matcher(name).matches()) {
			return name;
		}
		CRC32C checksum = new CRC32C();
		checksum.update(name.getBytes(StandardCharsets.UTF_8));
		String plain = NOT_PLAIN.matcher(name).replaceAll("_");
		return "%s-%08x".formatted(plain.substring(0, Math.min(plain.length(), MAX_LENGTH - 9)), checksum.getValue());
	}

}
