package dev.outbox.jdbc;

import java.util.UUID;

import javax.sql.DataSource;

import dev.outbox.OutboxDataSource;
import dev.outbox.OutboxWriter;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import jakarta.annotation.PostConstruct;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the moment at which {@link OutboxSchema} does its work among the beans of an
 * application.
 */
@EachDatabase(only = { TestDatabase.H2, TestDatabase.POSTGRESQL })
class OutboxSchemaInitializationIntegrationTests {

	@AutoClose
	private final TestDataSource database;

	private final JdbcTemplate jdbc;

	OutboxSchemaInitializationIntegrationTests(TestDatabase kind) {
		this.database = kind.freshDatabase();
		this.jdbc = new JdbcTemplate(this.database.dataSource());
	}

	@Test
	void beanThatWritesAnEventWhileItIsInitializedFindsTheTables() {
		try (ConfigurableApplicationContext context = OrderApplication.start(EagerWriter.class, this.database,
				"spring.jpa.hibernate.ddl-auto=none")) {
			assertThat(context.isRunning()).isTrue();
			assertThat(events()).isEqualTo(1);
		}
	}

	@Test
	void scriptsOfTheApplicationRunBeforeAndMayNotNeedOurTables() {
		try (ConfigurableApplicationContext context = OrderApplication.start(this.database,
				"spring.sql.init.mode=always",
				"spring.sql.init.schema-locations=classpath:db/orders/flyway/V1__create_orders.sql")) {
			assertThat(context.isRunning()).isTrue();
		}
		assertThat(this.jdbc.queryForObject("SELECT COUNT(*) FROM orders", Integer.class)).isZero();
		assertThat(events()).isEqualTo(1);
	}

	/**
	 * Then Hibernate counts among those that initialize the database.
	 */
	@Test
	void scriptsOfTheApplicationMayWaitForHibernate() {
		try (ConfigurableApplicationContext context = OrderApplication.start(EagerWriter.class, this.database,
				"spring.jpa.defer-datasource-initialization=true", "spring.jpa.hibernate.ddl-auto=none",
				"spring.sql.init.mode=always",
				"spring.sql.init.schema-locations=classpath:db/orders/flyway/V1__create_orders.sql")) {
			assertThat(context.isRunning()).isTrue();
		}
		assertThat(events()).isEqualTo(1);
	}

	@Test
	void beansMayBeInitializedLazily() {
		try (ConfigurableApplicationContext context = OrderApplication.start(EagerWriter.class, this.database,
				"spring.main.lazy-initialization=true", "spring.jpa.hibernate.ddl-auto=none")) {
			context.getBean(EagerWriter.Bird.class);
			assertThat(events()).isEqualTo(1);
		}
	}

	/**
	 * What Boot does on a checkpoint or in the background must not get in the way.
	 */
	@Test
	void hibernateMayStartInTheBackground() {
		try (ConfigurableApplicationContext context = OrderApplication.start(this.database,
				"spring.jpa.bootstrap=async")) {
			assertThat(context.getBean(OrderApplication.JpaEarlyBird.class).found()).isNotNegative();
		}
	}

	@Test
	void circularReferencesAreNotNeededWhenADataSourceUsesABean() {
		try (ConfigurableApplicationContext context = OrderApplication.start(TwoDataSources.class, this.database,
				"spring.jpa.hibernate.ddl-auto=none")) {
			assertThat(context.getBean(OutboxDatabase.class).dataSource()).isSameAs(context.getBean("main"));
		}
	}

	private int events() {
		return this.jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class);
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class EagerWriter {

		@Bean
		Bird bird(OutboxWriter writer, PlatformTransactionManager transactionManager) {
			return new Bird(writer, new TransactionTemplate(transactionManager));
		}

		record Bird(OutboxWriter writer, TransactionTemplate transaction) {

			@PostConstruct
			void write() {
				this.transaction.executeWithoutResult((status) -> this.writer.write("Started", "{}"));
			}

		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class TwoDataSources {

		@Bean
		@OutboxDataSource
		@Primary
		DataSource main() {
			return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
		}

		@Bean
		DataSource reporting(JdbcClient jdbc) {
			return new DriverManagerDataSource("jdbc:h2:mem:" + jdbc.sql("SELECT 42").query(Integer.class).single());
		}

	}

}
