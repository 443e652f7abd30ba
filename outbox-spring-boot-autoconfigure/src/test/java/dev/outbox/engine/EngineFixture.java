package dev.outbox.engine;

import java.util.UUID;

import dev.outbox.OutboxWriter;
import dev.outbox.dead.OutboxDeadAutoConfiguration;
import dev.outbox.jdbc.OutboxJdbcAutoConfiguration;
import dev.outbox.listener.OutboxListenerAutoConfiguration;
import dev.outbox.retry.OutboxRetryAutoConfiguration;
import dev.outbox.serialize.OutboxSerializeAutoConfiguration;
import dev.outbox.write.OutboxWriteAutoConfiguration;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An application with an outbox on an embedded database.
 */
final class EngineFixture {

	private EngineFixture() {
	}

	static ApplicationContextRunner runner() {
		return runner(UUID.randomUUID().toString());
	}

	static ApplicationContextRunner runner(String database) {
		return withoutDataSource().withPropertyValues("spring.datasource.url=" + url(database));
	}

	static String url(String database) {
		return "jdbc:h2:mem:" + database + ";DB_CLOSE_DELAY=-1";
	}

	static ApplicationContextRunner withoutDataSource() {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
				TransactionAutoConfiguration.class, TaskExecutionAutoConfiguration.class,
				TaskSchedulingAutoConfiguration.class, JacksonAutoConfiguration.class, FlywayAutoConfiguration.class,
				OutboxDeadAutoConfiguration.class, OutboxEngineAutoConfiguration.class,
				OutboxJdbcAutoConfiguration.class, OutboxListenerAutoConfiguration.class,
				OutboxRetryAutoConfiguration.class, OutboxSerializeAutoConfiguration.class,
				OutboxWriteAutoConfiguration.class));
	}

	/**
	 * Write an event of a type with the application's own writer.
	 */
	static void write(BeanFactory application, String eventType) {
		OutboxWriter writer = application.getBean(OutboxWriter.class);
		new TransactionTemplate(application.getBean(PlatformTransactionManager.class))
			.executeWithoutResult((status) -> writer.write(eventType, "{}"));
	}

}
