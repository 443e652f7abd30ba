package dev.outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxWriter;
import dev.outbox.Partitioner;
import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.listener.ListenerRegistry;
import dev.outbox.node.Membership;
import dev.outbox.node.NodeProperties;
import dev.outbox.node.NodeTable;
import dev.outbox.retry.BreakerProperties;
import dev.outbox.retry.OutageClassifier;
import dev.outbox.retry.RetryProperties;
import dev.outbox.serialize.EventSerializer;
import dev.outbox.serialize.EventTypes;
import dev.outbox.store.Completion;
import dev.outbox.store.EventClaims;
import dev.outbox.store.EventSettlement;
import dev.outbox.store.OutboxFixture;
import dev.outbox.testsupport.TestDatabase;
import dev.outbox.write.PartitionsProperties;
import dev.outbox.write.TransactionalOutboxWriter;
import dev.outbox.write.WriteProperties;
import dev.outbox.write.WrittenEvent;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A dispatcher of a node that has joined, and a writer that hands over to it, on tables
 * that are emptied for each test. Nothing runs in the background until the dispatcher is
 * started.
 */
public final class DispatchFixture implements AutoCloseable {

	public final OutboxFixture outbox;

	public final Membership membership;

	public final ListenerRegistry listeners = new ListenerRegistry();

	public final PollTrigger trigger = new PollTrigger();

	public final Dispatcher dispatcher;

	public final OutboxWriter writer;

	public final TransactionTemplate transactions;

	final ListenerGuards guards;

	final DispatchProperties properties;

	private final Set<Thread> workerThreads = ConcurrentHashMap.newKeySet();

	private final ExecutorService workers = Executors.newCachedThreadPool((worker) -> {
		Thread thread = new Thread(worker);
		this.workerThreads.add(thread);
		return thread;
	});

	private DispatchFixture(OutboxFixture outbox, Binder binder) {
		this.outbox = outbox;
		OutboxDatabase database = outbox.database;
		this.membership = new Membership("outbox", new NodeTable(database),
				binder.bindOrCreate("outbox.node", NodeProperties.class).lease());
		this.properties = binder.bindOrCreate("outbox.dispatch", DispatchProperties.class);
		RetryProperties retry = binder.bindOrCreate("outbox.retry", RetryProperties.class);
		BreakerProperties breaker = binder.bindOrCreate("outbox.breaker", BreakerProperties.class);
		this.guards = new ListenerGuards("outbox", this.listeners, retry, retry.policy(), breaker,
				OutageClassifier.standard(), () -> {
				});
		JdbcTransactionManager manager = new JdbcTransactionManager(database.dataSource());
		this.transactions = new TransactionTemplate(manager);
		this.dispatcher = new Dispatcher("outbox",
				new Dispatcher.Settings(this.properties,
						binder.bindOrCreate("outbox.completion", CompletionProperties.class), retry, retry.policy(),
						breaker, OutageClassifier.standard()),
				this.membership, new EventClaims(database), new EventSettlement(database, Completion.KEEP),
				this.listeners, List.of(), this.transactions, this.workers, this.trigger);
		TransactionalOutboxWriter transactional = TransactionalOutboxWriter.of("outbox", database,
				new TransactionalOutboxWriter.Content(new EventTypes(List.of()), EventSerializer.jackson(), List.of()),
				new TransactionalOutboxWriter.Rules(binder.bindOrCreate("outbox.write", WriteProperties.class),
						Partitioner.byKey(), binder.bindOrCreate("outbox.partitions", PartitionsProperties.class)),
				this.dispatcher.handOver());
		transactional.watch(manager);
		this.writer = transactional;
		this.membership.join();
	}

	/**
	 * Make a dispatcher.
	 * @param properties its properties without their prefix, as {@code name=value}
	 */
	public static DispatchFixture on(TestDatabase database, String... properties) {
		Map<String, String> values = new HashMap<>();
		for (String property : properties) {
			int equals = property.indexOf('=');
			values.put("outbox." + property.substring(0, equals), property.substring(equals + 1));
		}
		return new DispatchFixture(OutboxFixture.empty(database),
				new Binder(new MapConfigurationPropertySource(values)));
	}

	/**
	 * Return whether all workers wait, for an event or for the lease.
	 */
	boolean areWorkersWaiting() {
		return !this.workerThreads.isEmpty() && this.workerThreads.stream()
			.map(Thread::getState)
			.allMatch((state) -> state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING);
	}

	HotPath hotPath() {
		return (HotPath) this.dispatcher.handOver();
	}

	int freePlaces() {
		return freePlaces(hotPath());
	}

	/**
	 * Take all places of the hot queue that are free and give them back.
	 * @return how many they were
	 */
	static int freePlaces(HotPath hotPath) {
		List<WrittenEvent> taken = new ArrayList<>();
		EventEnvelope event = EventEnvelope.ofJson("thing.happened", "{}");
		Long owner = hotPath.reserve(event, 0);
		while (owner != null) {
			taken.add(new WrittenEvent(event, owner));
			event = EventEnvelope.ofJson("thing.happened", "{}");
			owner = hotPath.reserve(event, 0);
		}
		hotPath.cancel(taken);
		return taken.size();
	}

	@Override
	public void close() {
		this.dispatcher.stop(Duration.ofSeconds(5));
		this.workers.shutdownNow();
	}

}
