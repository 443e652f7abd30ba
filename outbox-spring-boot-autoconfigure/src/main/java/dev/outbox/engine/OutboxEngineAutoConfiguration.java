package dev.outbox.engine;

import javax.sql.DataSource;

import dev.outbox.EventInterceptor;
import dev.outbox.OutboxWriter;
import dev.outbox.Partitioner;
import dev.outbox.WriterHook;
import dev.outbox.dead.DeadEvents;
import dev.outbox.dead.OutboxDeadAutoConfiguration;
import dev.outbox.dead.ReplayListener;
import dev.outbox.dispatch.CompletionProperties;
import dev.outbox.dispatch.DispatchProperties;
import dev.outbox.dispatch.PollTrigger;
import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.jdbc.OutboxProperties;
import dev.outbox.listener.ListenerRegistry;
import dev.outbox.listener.ListenerScanner;
import dev.outbox.listener.OutboxListenerAutoConfiguration;
import dev.outbox.node.NodeProperties;
import dev.outbox.relay.PollProperties;
import dev.outbox.relay.PurgeProperties;
import dev.outbox.retry.BreakerProperties;
import dev.outbox.retry.OutageClassifier;
import dev.outbox.retry.OutboxRetryAutoConfiguration;
import dev.outbox.retry.RetryPolicy;
import dev.outbox.retry.RetryProperties;
import dev.outbox.serialize.EventSerializer;
import dev.outbox.serialize.EventTypes;
import dev.outbox.write.OutboxWriteAutoConfiguration;
import dev.outbox.write.PartitionsProperties;
import dev.outbox.write.WriteProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jdbc.metadata.CompositeDataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.boot.task.SimpleAsyncTaskExecutorBuilder;
import org.springframework.boot.task.ThreadPoolTaskExecutorBuilder;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;
import org.springframework.transaction.TransactionManager;

/**
 * Auto-configuration of the outbox as a whole.
 */
@AutoConfiguration(
		after = { OutboxWriteAutoConfiguration.class, OutboxListenerAutoConfiguration.class,
				OutboxRetryAutoConfiguration.class, OutboxDeadAutoConfiguration.class },
		afterName = "org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration")
@ConditionalOnBean(OutboxDatabase.class)
@ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
@EnableConfigurationProperties({ OutboxProperties.class, EngineProperties.class, WriteProperties.class,
		PartitionsProperties.class, NodeProperties.class, DispatchProperties.class, CompletionProperties.class,
		RetryProperties.class, BreakerProperties.class, PollProperties.class, PurgeProperties.class })
public final class OutboxEngineAutoConfiguration {

	OutboxEngineAutoConfiguration() {
	}

	@Bean
	OutboxSettings outboxSettings(OutboxProperties outbox, EngineProperties engine, WriteProperties write,
			PartitionsProperties partitions, NodeProperties node, DispatchProperties dispatch,
			CompletionProperties completion, RetryProperties retry, BreakerProperties breaker, PollProperties poll,
			PurgeProperties purge) {
		return new OutboxSettings(outbox, engine, write, partitions, node, dispatch, completion, retry, breaker, poll,
				purge);
	}

	@Bean
	HandOverSwitch outboxHandOver() {
		return new HandOverSwitch();
	}

	@Bean
	PollTrigger outboxPollTrigger() {
		return new PollTrigger();
	}

	@Bean
	ReplayListener outboxReplayListener(PollTrigger trigger) {
		return trigger::pull;
	}

	@Bean
	@ConditionalOnMissingBean
	WorkerThreads outboxWorkerThreads(ObjectProvider<ThreadPoolTaskExecutorBuilder> platform,
			ObjectProvider<SimpleAsyncTaskExecutorBuilder> virtual, Environment environment) {
		return new BootWorkerThreads(platform.getIfUnique(ThreadPoolTaskExecutorBuilder::new),
				virtual.getIfUnique(SimpleAsyncTaskExecutorBuilder::new), Threading.VIRTUAL.isActive(environment));
	}

	@Bean
	@Primary
	@ConditionalOnMissingBean(name = "outboxEngine")
	@DependsOnDatabaseInitialization
	Outbox outboxEngine(OutboxSettings settings, OutboxDatabase database, OutboxWriter writer, HandOverSwitch handOver,
			PollTrigger trigger, DeadEvents deadEvents, ListenerRegistry listeners,
			ObjectProvider<EventInterceptor> interceptors, RetryPolicy policy, OutageClassifier classifier,
			WorkerThreads workers, ObjectProvider<TransactionManager> managers,
			ObjectProvider<DataSourcePoolMetadataProvider> poolMetadata) {
		return new Outbox(new OutboxParts(settings, database, () -> poolSize(database.dataSource(), poolMetadata),
				writer, handOver, trigger, deadEvents, listeners, interceptors.orderedStream().toList(), policy,
				classifier, () -> ListenerTransactions.choose(database.dataSource(), managers), workers));
	}

	@Bean
	@Scope("prototype")
	@ConditionalOnMissingBean
	OutboxBuilder outboxBuilder(EventSerializer serializer, EventTypes types, ObjectProvider<WriterHook> hooks,
			ObjectProvider<EventInterceptor> interceptors, Partitioner partitioner, OutageClassifier classifier,
			WorkerThreads workers, Environment environment,
			ObjectProvider<DataSourcePoolMetadataProvider> poolMetadata) {
		return Outbox.builder()
			.binder(Binder.get(environment))
			.poolSizes((pool) -> poolSize(pool, poolMetadata))
			.serializer(serializer)
			.types(types)
			.hooks(hooks.orderedStream().toList())
			.interceptors(interceptors.orderedStream().toList())
			.partitioner(partitioner)
			.outageClassifier(classifier)
			.workers(workers);
	}

	@Bean
	NamedOutboxes namedOutboxes(OutboxProperties properties, ObjectProvider<Outbox> outboxes, ListenerScanner scanner,
			ObjectProvider<TransactionManager> managers) {
		return new NamedOutboxes(properties.name(), outboxes, scanner, managers);
	}

	private static @Nullable Integer poolSize(DataSource pool,
			ObjectProvider<DataSourcePoolMetadataProvider> providers) {
		DataSourcePoolMetadata metadata = new CompositeDataSourcePoolMetadataProvider(
				providers.orderedStream().toList())
			.getDataSourcePoolMetadata(pool);
		return (metadata != null) ? metadata.getMax() : null;
	}

}
