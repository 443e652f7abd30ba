package dev.outbox.write;

import dev.outbox.OutboxWriter;
import dev.outbox.Partitioner;
import dev.outbox.WriterHook;
import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.jdbc.OutboxJdbcAutoConfiguration;
import dev.outbox.jdbc.OutboxProperties;
import dev.outbox.serialize.EventSerializer;
import dev.outbox.serialize.EventTypes;
import dev.outbox.serialize.OutboxSerializeAutoConfiguration;
import dev.outbox.store.EventAppender;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.TransactionManager;

/**
 * Auto-configuration of the writer.
 */
@AutoConfiguration(after = { OutboxJdbcAutoConfiguration.class, OutboxSerializeAutoConfiguration.class })
@ConditionalOnBean(OutboxDatabase.class)
@ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
@EnableConfigurationProperties({ WriteProperties.class, PartitionsProperties.class })
public final class OutboxWriteAutoConfiguration {

	OutboxWriteAutoConfiguration() {
	}

	@Bean
	@ConditionalOnMissingBean
	Partitioner outboxPartitioner() {
		return Partitioner.byKey();
	}

	@Bean
	WriterHooks outboxWriterHooks(OutboxProperties properties, ObjectProvider<WriterHook> hooks) {
		return new WriterHooks(properties.name(), hooks.orderedStream().toList());
	}

	@Bean
	CallerTransaction outboxCallerTransaction(OutboxProperties properties, OutboxDatabase database, WriterHooks hooks,
			ObjectProvider<HandOver> handOver) {
		return new CallerTransaction(properties.name(), database.dataSource(), hooks,
				handOver.getIfAvailable(() -> HandOver.NONE));
	}

	@Bean
	TransactionManagerWatch outboxTransactionManagerWatch(OutboxProperties properties, OutboxDatabase database,
			CallerTransaction caller, ObjectProvider<TransactionManager> managers) {
		return new TransactionManagerWatch(properties.name(), database, caller, managers);
	}

	@Bean
	@ConditionalOnMissingBean
	@DependsOnDatabaseInitialization
	OutboxWriter outboxWriter(CallerTransaction caller, OutboxDatabase database, EventTypes types,
			EventSerializer serializer, WriterHooks hooks, WriteProperties write, PartitionsProperties partitions,
			Partitioner partitioner) {
		return new TransactionalOutboxWriter(caller, new EventAppender(database), types, serializer, hooks,
				EventLimits.of(write), partitioner, partitions.count());
	}

	@Bean
	@ConditionalOnBooleanProperty(name = "outbox.write.application-events", matchIfMissing = true)
	ApplicationEventCapture outboxApplicationEventCapture(ObjectProvider<OutboxWriter> writer, EventTypes types) {
		return new ApplicationEventCapture(writer, types);
	}

}
