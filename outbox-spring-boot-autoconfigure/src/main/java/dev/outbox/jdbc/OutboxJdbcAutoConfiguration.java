package dev.outbox.jdbc;

import javax.sql.DataSource;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the outbox's database and its tables.
 */
@AutoConfiguration(after = DataSourceAutoConfiguration.class,
		afterName = { "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
				"org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration" })
@ConditionalOnBean(DataSource.class)
@ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
@EnableConfigurationProperties(OutboxProperties.class)
public final class OutboxJdbcAutoConfiguration {

	OutboxJdbcAutoConfiguration() {
	}

	@Bean
	@ConditionalOnMissingBean
	OutboxDatabase outboxDatabase(OutboxProperties properties, ObjectProvider<SqlDialect> dialects,
			ListableBeanFactory beanFactory) {
		DataSource dataSource = OutboxDataSourceResolver.resolve(beanFactory);
		SqlDialect dialect = dialects.getIfAvailable(() -> SqlDialects.detect(dataSource));
		return OutboxDatabase.of(dataSource, dialect, properties);
	}

	@Bean
	@ConditionalOnMissingBean
	OutboxSchema outboxSchema(OutboxDatabase database, OutboxProperties properties) {
		return new OutboxSchema(database.dataSource(), database.dialect(), database.tables(),
				properties.schema().mode());
	}

}
