package dev.outbox.engine;

import java.util.List;
import java.util.function.Supplier;

import dev.outbox.EventInterceptor;
import dev.outbox.OutboxWriter;
import dev.outbox.dead.DeadEvents;
import dev.outbox.dispatch.PollTrigger;
import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.listener.ListenerRegistry;
import dev.outbox.retry.OutageClassifier;
import dev.outbox.retry.RetryPolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.PlatformTransactionManager;

/**
 * What an outbox consists of.
 *
 * @param settings its settings
 * @param database its database
 * @param poolSize how many connections its DataSource has, if that is known
 * @param writer its writer
 * @param handOver leads from the writer to the delivery
 * @param trigger tells its poller when to look
 * @param deadEvents its dead events
 * @param listeners its listeners
 * @param interceptors its interceptors, in order
 * @param policy how long to wait between attempts
 * @param classifier which failures its breakers count
 * @param transactionManager transactions of its DataSource, for transactional listeners
 * @param workers makes its workers
 */
record OutboxParts(OutboxSettings settings, OutboxDatabase database, Supplier<@Nullable Integer> poolSize,
		OutboxWriter writer, HandOverSwitch handOver, PollTrigger trigger, DeadEvents deadEvents,
		ListenerRegistry listeners, List<EventInterceptor> interceptors, RetryPolicy policy,
		OutageClassifier classifier, Supplier<PlatformTransactionManager> transactionManager, WorkerThreads workers) {

	String name() {
		return this.settings.outbox().name();
	}

}
