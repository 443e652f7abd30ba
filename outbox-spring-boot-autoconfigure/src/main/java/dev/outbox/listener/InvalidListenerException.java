package dev.outbox.listener;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

import dev.outbox.OutboxListener;

/**
 * A method cannot be called with events as its {@link OutboxListener} annotation wants.
 */
public class InvalidListenerException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String action;

	InvalidListenerException(Class<?> type, Method method, String problem, String action) {
		super("@OutboxListener on %s: %s".formatted(describe(type, method), problem));
		this.action = action;
	}

	/**
	 * Return what to do about it.
	 * @return an advice
	 */
	public String action() {
		return this.action;
	}

	static String describe(Class<?> type, Method method) {
		return "%s.%s(%s)".formatted(type.getName(), method.getName(),
				Arrays.stream(method.getParameterTypes()).map(Class::getSimpleName).collect(Collectors.joining(", ")));
	}

}
