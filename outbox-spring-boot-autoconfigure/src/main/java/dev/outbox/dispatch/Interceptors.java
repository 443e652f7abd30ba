package dev.outbox.dispatch;

import java.util.List;

import dev.outbox.EventEnvelope;
import dev.outbox.EventInterceptor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the interceptors: in their order before the listeners, in reverse after them.
 * What one throws before counts as a failed attempt; after, it is only logged.
 */
final class Interceptors {

	private static final Logger logger = LoggerFactory.getLogger(Interceptors.class);

	private final String outbox;

	private final List<EventInterceptor> interceptors;

	Interceptors(String outbox, List<EventInterceptor> interceptors) {
		this.outbox = outbox;
		this.interceptors = List.copyOf(interceptors);
	}

	@Nullable Throwable before(EventEnvelope event) {
		for (EventInterceptor interceptor : this.interceptors) {
			try {
				interceptor.beforeDispatch(event);
			}
			catch (Throwable ex) {
				return ex;
			}
		}
		return null;
	}

	void after(EventEnvelope event, @Nullable Throwable error) {
		for (int i = this.interceptors.size() - 1; i >= 0; i--) {
			try {
				this.interceptors.get(i).afterDispatch(event, error);
			}
			catch (Throwable ex) {
				logger.warn("{}: afterDispatch of {} failed, which changes nothing about the event", this.outbox,
						this.interceptors.get(i).getClass().getName(), ex);
			}
		}
	}

}
