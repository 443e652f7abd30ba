package dev.outbox.write;

import java.util.List;
import java.util.function.Consumer;

import dev.outbox.EventEnvelope;
import dev.outbox.WriterHook;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the hooks in their order. Before the write an exception of theirs counts, later
 * it is only logged.
 */
final class WriterHooks {

	private static final Logger logger = LoggerFactory.getLogger(WriterHooks.class);

	private final String outbox;

	private final List<WriterHook> hooks;

	WriterHooks(String outbox, List<WriterHook> hooks) {
		this.outbox = outbox;
		this.hooks = List.copyOf(hooks);
	}

	List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
		List<EventEnvelope> current = events;
		for (WriterHook hook : this.hooks) {
			List<EventEnvelope> next = hook.beforeWrite(current);
			if (next == null || next.isEmpty()) {
				return List.of();
			}
			current = List.copyOf(next);
		}
		return current;
	}

	void afterWrite(List<EventEnvelope> events) {
		each("afterWrite", (hook) -> hook.afterWrite(events));
	}

	void afterCommit(List<EventEnvelope> events) {
		each("afterCommit", (hook) -> hook.afterCommit(events));
	}

	void afterRollback(List<EventEnvelope> events) {
		each("afterRollback", (hook) -> hook.afterRollback(events));
	}

	private void each(String method, Consumer<WriterHook> call) {
		for (WriterHook hook : this.hooks) {
			try {
				call.accept(hook);
			}
			catch (Exception | LinkageError | AssertionError ex) {
				logger.warn("{}: {} of {} failed, which changes nothing about the events", this.outbox, method,
						hook.getClass().getName(), ex);
			}
		}
	}

}
