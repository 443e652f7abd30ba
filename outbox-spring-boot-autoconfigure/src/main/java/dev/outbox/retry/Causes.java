package dev.outbox.retry;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Looks for a kind of exception in a failure and everything that caused it, however the
 * causes are linked.
 */
public final class Causes {

	/**
	 * Some exceptions make up a new cause each time they are asked.
	 */
	private static final int MAX_DEPTH = 100;

	private Causes() {
	}

	/**
	 * Return whether a failure, or what caused it, is of one of some types.
	 * @param failure the failure
	 * @param types the types
	 * @return whether there is one
	 */
	public static boolean contain(Throwable failure, Collection<? extends Class<? extends Throwable>> types) {
		return of(failure).stream().anyMatch((cause) -> types.stream().anyMatch((type) -> type.isInstance(cause)));
	}

	/**
	 * Find the first of a failure and what caused it that is of a type.
	 * @param failure the failure
	 * @param type the type
	 * @param <T> the type
	 * @return the failure or cause, or nothing
	 */
	public static <T extends Throwable> Optional<T> find(Throwable failure, Class<T> type) {
		return of(failure).stream().filter(type::isInstance).map(type::cast).findFirst();
	}

	/**
	 * Return a failure and all that caused it, in this order.
	 */
	static List<Throwable> of(Throwable failure) {
		List<Throwable> causes = new ArrayList<>();
		Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
		Throwable cause = failure;
		while (cause != null && causes.size() < MAX_DEPTH && seen.add(cause)) {
			causes.add(cause);
			cause = cause.getCause();
		}
		return causes;
	}

}
