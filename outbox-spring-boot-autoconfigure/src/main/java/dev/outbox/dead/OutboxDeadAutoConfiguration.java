package dev.outbox.dead;

import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.jdbc.OutboxJdbcAutoConfiguration;
import dev.outbox.jdbc.OutboxProperties;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of what operators do with dead events.
 */
@AutoConfiguration(after = OutboxJdbcAutoConfiguration.class)
@ConditionalOnBean(OutboxDatabase.class)
@ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
@EnableConfigurationProperties(OutboxProperties.class)
public final class OutboxDeadAutoConfiguration {

	OutboxDeadAutoConfiguration() {
	}

	@Bean
	@ConditionalOnMissingBean
	@DependsOnDatabaseInitialization
	DeadEvents outboxDeadEvents(OutboxProperties properties, OutboxDatabase database,
			ObjectProvider<ReplayListener> listeners) {
		return DeadEvents.of(properties.name(), database, () -> listeners.forEach(ReplayListener::replayed));
	}

}
