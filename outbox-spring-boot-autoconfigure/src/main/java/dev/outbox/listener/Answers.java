package dev.outbox.listener;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;

import dev.outbox.DispatchResult;
import dev.outbox.EventsFailedException;
import dev.outbox.RetryAfterException;
import org.jspecify.annotations.Nullable;

/**
 * Translates what a listener returned or threw into results.
 */
final class Answers {

	private static final DeliveryResult DONE = new DeliveryResult.Done();

	private Answers() {
	}

	/**
	 * The same result for each delivery.
	 */
	static List<DeliveryResult> same(DeliveryResult result, List<Delivery> deliveries) {
		return Collections.nCopies(deliveries.size(), result);
	}

	/**
	 * What a returned value means. Values that are no {@link DispatchResult} mean
	 * nothing.
	 */
	static DeliveryResult returned(@Nullable Object value) {
		return (value instanceof DispatchResult.RetryAfter later) ? new DeliveryResult.RetryAfter(later.delay()) : DONE;
	}

	/**
	 * What an exception or error means for a single event.
	 */
	static DeliveryResult thrown(Throwable thrown) {
		Throwable cause = unwrap(thrown);
		if (cause instanceof RetryAfterException later) {
			return new DeliveryResult.RetryAfter(later.delay());
		}
		if (cause instanceof EventsFailedException failed && failed.getCause() != null) {
			return thrown(failed.getCause());
		}
		return new DeliveryResult.Failed(cause);
	}

	/**
	 * What an exception or error means for several events. Only if it names some of them,
	 * and nothing but them, can the others have been handled.
	 */
	static List<DeliveryResult> thrown(Throwable thrown, List<Delivery> deliveries) {
		DeliveryResult result = thrown(thrown);
		if (unwrap(thrown) instanceof EventsFailedException failed) {
			Set<String> failedIds = failed.eventIds();
			Set<String> ids = deliveries.stream().map(Answers::id).collect(Collectors.toSet());
			if (!failedIds.isEmpty() && ids.containsAll(failedIds)) {
				return deliveries.stream().map((delivery) -> failedIds.contains(id(delivery)) ? result : DONE).toList();
			}
		}
		return same(result, deliveries);
	}

	private static String id(Delivery delivery) {
		return delivery.envelope().eventId();
	}

	/**
	 * Reflection, proxies and futures wrap what the listener threw.
	 */
	private static Throwable unwrap(Throwable thrown) {
		Throwable current = thrown;
		while (current.getCause() != null && (current instanceof CompletionException
				|| current instanceof InvocationTargetException || current instanceof UndeclaredThrowableException)) {
			current = current.getCause();
		}
		return current;
	}

}
