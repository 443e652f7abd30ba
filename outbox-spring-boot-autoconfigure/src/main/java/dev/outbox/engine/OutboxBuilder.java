package dev.outbox.engine;

import java.util.List;
import java.util.function.Supplier;

import javax.sql.DataSource;

import dev.outbox.EventInterceptor;
import dev.outbox.Partitioner;
import dev.outbox.WriterHook;
import dev.outbox.dead.DeadEvents;
import dev.outbox.dispatch.PollTrigger;
import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.jdbc.OutboxProperties;
import dev.outbox.jdbc.OutboxSchema;
import dev.outbox.jdbc.SqlDialects;
import dev.outbox.listener.ListenerRegistry;
import dev.outbox.retry.OutageClassifier;
import dev.outbox.retry.RetryPolicy;
import dev.outbox.serialize.EventSerializer;
import dev.outbox.serialize.EventTypes;
import dev.outbox.write.TransactionalOutboxWriter;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.Assert;

/**
 * Builds an outbox beside the auto-configured one, usually on another DataSource.
 * <p>
 * In an application a new builder is injected wherever one is asked for. It knows the
 * application's serializer, event classes, hooks, interceptors and threads, and the
 * outbox that it builds becomes a bean like any other:
 *
 * <pre class="code">
 * &#64;Bean
 * Outbox auditOutbox(OutboxBuilder builder, &#64;Qualifier("audit") DataSource dataSource,
 *         &#64;Qualifier("audit") PlatformTransactionManager transactionManager) {
 *     return builder.name("audit")
 *         .dataSource(dataSource)
 *         .transactionManager(transactionManager)
 *         .settings("audit-outbox")
 *         .build();
 * }
 * </pre>
 */
public final class OutboxBuilder {

	private @Nullable String name;

	private @Nullable DataSource dataSource;

	private @Nullable PlatformTransactionManager transactionManager;

	private OutboxSettings settings = OutboxSettings.defaults();

	private Binder binder = new Binder();

	private PoolSizes poolSizes = (pool) -> null;

	private WorkerThreads workers = BootWorkerThreads.plain();

	private EventTypes types = new EventTypes(List.of());

	private @Nullable EventSerializer serializer;

	private List<WriterHook> hooks = List.of();

	private List<EventInterceptor> interceptors = List.of();

	private Partitioner partitioner = Partitioner.byKey();

	private @Nullable RetryPolicy retryPolicy;

	private OutageClassifier outageClassifier = OutageClassifier.standard();

	OutboxBuilder() {
	}

	OutboxBuilder binder(Binder binder) {
		this.binder = binder;
		return this;
	}

	OutboxBuilder poolSizes(PoolSizes poolSizes) {
		this.poolSizes = poolSizes;
		return this;
	}

	/**
	 * Set the name, by which listeners choose their outbox and with which its log lines
	 * begin.
	 * @param name the name, different from those of all other outboxes
	 * @return this builder
	 */
	public OutboxBuilder name(String name) {
		this.name = name;
		return this;
	}

	/**
	 * Set the DataSource in whose transactions events are written.
	 * @param dataSource the DataSource
	 * @return this builder
	 */
	public OutboxBuilder dataSource(DataSource dataSource) {
		this.dataSource = dataSource;
		return this;
	}

	/**
	 * Set the manager of the transactions that events are written in. Transactional
	 * listeners run in its transactions as well.
	 * @param transactionManager a transaction manager for the DataSource
	 * @return this builder
	 */
	public OutboxBuilder transactionManager(PlatformTransactionManager transactionManager) {
		this.transactionManager = transactionManager;
		return this;
	}

	/**
	 * Take the settings from the application's properties. They have the same names as
	 * those of the auto-configured outbox after another prefix.
	 * @param prefix the prefix, such as {@code audit-outbox}
	 * @return this builder
	 */
	public OutboxBuilder settings(String prefix) {
		return settings(OutboxSettings.bind(this.binder, prefix));
	}

	/**
	 * Set the settings.
	 * @param settings the settings
	 * @return this builder
	 */
	public OutboxBuilder settings(OutboxSettings settings) {
		this.settings = settings;
		return this;
	}

	/**
	 * Set what makes the threads that call listeners.
	 * @param workers makes executors
	 * @return this builder
	 */
	public OutboxBuilder workers(WorkerThreads workers) {
		this.workers = workers;
		return this;
	}

	/**
	 * Set the known event classes.
	 * @param types the classes
	 * @return this builder
	 */
	public OutboxBuilder types(EventTypes types) {
		this.types = types;
		return this;
	}

	/**
	 * Set what turns objects into payloads.
	 * @param serializer the serializer
	 * @return this builder
	 */
	public OutboxBuilder serializer(EventSerializer serializer) {
		this.serializer = serializer;
		return this;
	}

	/**
	 * Set what has a say in each write.
	 * @param hooks the hooks, in order
	 * @return this builder
	 */
	public OutboxBuilder hooks(List<WriterHook> hooks) {
		this.hooks = List.copyOf(hooks);
		return this;
	}

	/**
	 * Set what is called around each delivery.
	 * @param interceptors the interceptors, in order
	 * @return this builder
	 */
	public OutboxBuilder interceptors(List<EventInterceptor> interceptors) {
		this.interceptors = List.copyOf(interceptors);
		return this;
	}

	/**
	 * Set what divides keys into partitions.
	 * @param partitioner the partitioner
	 * @return this builder
	 */
	public OutboxBuilder partitioner(Partitioner partitioner) {
		this.partitioner = partitioner;
		return this;
	}

	/**
	 * Set how long to wait between attempts, instead of what the settings say.
	 * @param retryPolicy the policy
	 * @return this builder
	 */
	public OutboxBuilder retryPolicy(RetryPolicy retryPolicy) {
		this.retryPolicy = retryPolicy;
		return this;
	}

	/**
	 * Set which failures may be an outage of what a listener depends on.
	 * @param outageClassifier the classifier
	 * @return this builder
	 */
	public OutboxBuilder outageClassifier(OutageClassifier outageClassifier) {
		this.outageClassifier = outageClassifier;
		return this;
	}

	/**
	 * Build the outbox and see that its tables are there. It delivers events once it is
	 * started, which an application does with its beans by itself.
	 * @return the outbox
	 */
	public Outbox build() {
		Assert.state(this.dataSource != null, "An outbox needs a DataSource");
		OutboxSettings chosen = named();
		String outbox = chosen.outbox().name();
		OutboxDatabase database = OutboxDatabase.of(this.dataSource, SqlDialects.detect(this.dataSource),
				chosen.outbox());
		new OutboxSchema(database.dataSource(), database.dialect(), database.tables(), chosen.outbox().schema().mode())
			.afterPropertiesSet();
		HandOverSwitch handOver = new HandOverSwitch();
		PollTrigger trigger = new PollTrigger();
		EventSerializer writing = (this.serializer != null) ? this.serializer : EventSerializer.jackson();
		TransactionalOutboxWriter writer = TransactionalOutboxWriter.of(outbox, database,
				new TransactionalOutboxWriter.Content(this.types, writing, this.hooks),
				new TransactionalOutboxWriter.Rules(chosen.write(), this.partitioner, chosen.partitions()), handOver);
		PlatformTransactionManager manager = (this.transactionManager != null) ? this.transactionManager
				: new JdbcTransactionManager(this.dataSource);
		if (manager instanceof ConfigurableTransactionManager watched) {
			writer.watch(watched);
		}
		DataSource pool = this.dataSource;
		Supplier<@Nullable Integer> poolSize = () -> this.poolSizes.of(pool);
		return new Outbox(new OutboxParts(chosen, database, poolSize, writer, handOver, trigger,
				DeadEvents.of(outbox, database, trigger::pull), new ListenerRegistry(), this.interceptors,
				(this.retryPolicy != null) ? this.retryPolicy : chosen.retry().policy(), this.outageClassifier,
				() -> manager, this.workers));
	}

	private OutboxSettings named() {
		OutboxProperties given = this.settings.outbox();
		OutboxProperties named = (this.name != null)
				? new OutboxProperties(given.enabled(), this.name, given.table(), given.schema(), given.jdbc()) : given;
		return new OutboxSettings(named, this.settings.engine(), this.settings.write(), this.settings.partitions(),
				this.settings.node(), this.settings.dispatch(), this.settings.completion(), this.settings.retry(),
				this.settings.breaker(), this.settings.poll(), this.settings.purge());
	}

	/**
	 * Knows how many connections a DataSource has.
	 */
	@FunctionalInterface
	interface PoolSizes {

		@Nullable Integer of(DataSource pool);

	}

}
