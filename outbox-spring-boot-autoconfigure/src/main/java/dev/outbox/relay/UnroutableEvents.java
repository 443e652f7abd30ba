package dev.outbox.relay;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import dev.outbox.dispatch.Dispatcher;
import dev.outbox.store.EventClaims;
import dev.outbox.store.EventRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after events that nobody listens to here. They wait for a node that does, as one
 * of a newer release; it is logged which kinds they are, and those that have waited too
 * long are given up.
 */
final class UnroutableEvents {

	private static final Logger logger = LoggerFactory.getLogger(UnroutableEvents.class);

	private static final Duration WORTH_A_WARNING = Duration.ofMinutes(1);

	private final String outbox;

	private final EventClaims claims;

	private final Dispatcher dispatcher;

	private final PollProperties properties;

	private long nextLook = System.nanoTime();

	private long nextWarning = System.nanoTime();

	private Set<String> warnedOf = Set.of();

	UnroutableEvents(String outbox, EventClaims claims, Dispatcher dispatcher, PollProperties properties) {
		this.outbox = outbox;
		this.claims = claims;
		this.dispatcher = dispatcher;
		this.properties = properties;
	}

	void look(long nodeId) {
		if (System.nanoTime() - this.nextLook >= 0) {
			List<EventRecord> rows = this.claims.claim(nodeId, this.dispatcher.unroutable(), this.properties.batch());
			this.dispatcher.giveUpUnroutable(rows);
			if (rows.size() < this.properties.batch()) {
				this.nextLook = System.nanoTime() + this.properties.interval().toNanos();
			}
		}
		if (System.nanoTime() - this.nextWarning >= 0) {
			warn(this.claims.waitingTypes(this.dispatcher.withoutListener(), WORTH_A_WARNING));
			this.nextWarning = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
		}
	}

	private void warn(Set<String> waiting) {
		if (!waiting.isEmpty() && !waiting.equals(this.warnedOf)) {
			logger.warn("{}: events of types {} wait, because nobody here listens to them", this.outbox, waiting);
		}
		this.warnedOf = waiting;
	}

}
