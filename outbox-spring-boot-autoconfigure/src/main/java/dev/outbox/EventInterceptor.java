package dev.outbox;

import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * Goes along with every delivery, for example to audit, log or measure. Several may be
 * beans; they are called in their order before a delivery and in reverse order after it.
 */
public interface EventInterceptor {

	/**
	 * Called before the listener. An exception fails the delivery as if the listener had
	 * thrown it.
	 * @param event the event
	 * @throws Exception if the event must not be delivered now
	 */
	default void beforeDispatch(EventEnvelope event) throws Exception {
	}

	/**
	 * Called after the listener. Exceptions are logged and change nothing.
	 * @param event the event
	 * @param error what the listener threw, or {@code null}
	 */
	default void afterDispatch(EventEnvelope event, @Nullable Throwable error) {
	}

	/**
	 * Return an interceptor that is called before deliveries only.
	 * @param hook what to call
	 * @return the interceptor
	 */
	static EventInterceptor before(EventListener hook) {
		return new EventInterceptor() {

			@Override
			public void beforeDispatch(EventEnvelope event) throws Exception {
				hook.onEvent(event);
			}

		};
	}

	/**
	 * Return an interceptor that is called after deliveries only.
	 * @param hook what to call with the event and what the listener threw
	 * @return the interceptor
	 */
	static EventInterceptor after(BiConsumer<EventEnvelope, @Nullable Throwable> hook) {
		return new EventInterceptor() {

			@Override
			public void afterDispatch(EventEnvelope event, @Nullable Throwable error) {
				hook.accept(event, error);
			}

		};
	}

}
