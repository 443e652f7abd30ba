package dev.outbox.store;

import java.util.Map;

import dev.outbox.InvalidEventException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * Headers as they stand in the table: a flat JSON object, or nothing. It has a mapper of
 * its own, because the application's may be configured in any way.
 */
final class HeadersJson {

	private static final JsonMapper MAPPER = JsonMapper.builder().build();

	private static final TypeReference<Map<String, String>> TYPE = new TypeReference<>() {
	};

	private HeadersJson() {
	}

	static @Nullable String write(Map<String, String> headers) {
		return headers.isEmpty() ? null : MAPPER.writeValueAsString(headers);
	}

	static Map<String, String> read(@Nullable String json) {
		if (json == null || json.isEmpty()) {
			return Map.of();
		}
		try {
			Map<String, String> headers = MAPPER.readValue(json, TYPE);
			return (headers != null) ? headers : Map.of();
		}
		catch (JacksonException ex) {
			throw new InvalidEventException("headers", "is not a JSON object of strings in the table");
		}
	}

}
