package dev.outbox.dispatch;

import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * How far an event with several listeners has come with each of them. An event with one
 * listener has none.
 */
final class Progress {

	private static final JsonMapper MAPPER = JsonMapper.builder().build();

	private static final TypeReference<TreeMap<String, String>> TYPE = new TypeReference<>() {
	};

	private static final String DONE = "done";

	private static final String DEAD = "dead";

	private final Map<String, String> states;

	private Progress(Map<String, String> states) {
		this.states = states;
	}

	/**
	 * Read what is stored. After a replay only what is done counts.
	 * @throws JacksonException if it is not what was stored
	 */
	static Progress read(@Nullable String json, boolean replayed) {
		if (json == null) {
			return new Progress(new TreeMap<>());
		}
		Map<String, String> states = MAPPER.readValue(json, TYPE);
		if (replayed) {
			states.values().removeIf((state) -> !DONE.equals(state));
		}
		return new Progress(states);
	}

	boolean isDone(String listener) {
		return DONE.equals(this.states.get(listener));
	}

	boolean isDead(String listener) {
		return DEAD.equals(this.states.get(listener));
	}

	boolean isOpen(String listener) {
		return !isDone(listener) && !isDead(listener);
	}

	/**
	 * Return how many attempts of a listener have been counted.
	 */
	int attempts(String listener) {
		String state = this.states.get(listener);
		return (state != null && Character.isDigit(state.charAt(0))) ? Integer.parseInt(state) : 0;
	}

	void done(String listener) {
		this.states.put(listener, DONE);
	}

	void dead(String listener) {
		this.states.put(listener, DEAD);
	}

	void tried(String listener, int attempts) {
		this.states.put(listener, Integer.toString(attempts));
	}

	@Nullable String write() {
		return this.states.isEmpty() ? null : MAPPER.writeValueAsString(this.states);
	}

}
