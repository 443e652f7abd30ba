package dev.outbox;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Rules for header names and values: both can stand in a protocol header and in a log
 * line. Names that start with {@code outbox.} belong to the outbox itself.
 */
final class EventHeaders {

	static final String RESERVED_PREFIX = "outbox.";

	private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,128}");

	private EventHeaders() {
	}

	static void check(String name, String value) {
		if (name == null || !NAME.matcher(name).matches()) {
			throw new InvalidEventException("headers",
					"has a name that is not made of 1 to 128 letters, digits, '.', '_' or '-'");
		}
		if (name.regionMatches(true, 0, RESERVED_PREFIX, 0, RESERVED_PREFIX.length())) {
			throw new InvalidEventException("headers",
					"has the name '" + name + "', but the prefix '" + RESERVED_PREFIX + "' is reserved");
		}
		if (value == null) {
			throw new InvalidEventException("headers." + name, "must not be null");
		}
		StorableText.check("headers." + name, value, StorableText.Rule.NO_CONTROL_CHARACTERS);
	}

	static Map<String, String> copyOf(Map<String, String> headers) {
		return headers.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(headers));
	}

	static long size(Map<String, String> headers) {
		long bytes = 0;
		for (Map.Entry<String, String> header : headers.entrySet()) {
			bytes += header.getKey().length();
			bytes += StorableText.check("headers." + header.getKey(), header.getValue(),
					StorableText.Rule.NO_CONTROL_CHARACTERS);
		}
		return bytes;
	}

}
