package dev.outbox.jdbc;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.FailedStart;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxDataSource;
import dev.outbox.OutboxWriter;
import dev.outbox.Partitioner;
import dev.outbox.serialize.EventSerializer;
import dev.outbox.serialize.EventTypes;
import dev.outbox.serialize.OutboxSerializeAutoConfiguration;
import dev.outbox.write.OutboxWriteAutoConfiguration;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link OutboxJdbcAutoConfiguration} together with the other
 * auto-configurations.
 */
class OutboxJdbcAutoConfigurationTests {

	private final ApplicationContextRunner withoutDataSource = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(OutboxJdbcAutoConfiguration.class, OutboxSerializeAutoConfiguration.class,
					OutboxWriteAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class));

	private final ApplicationContextRunner runner = this.withoutDataSource
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
		.withPropertyValues("spring.datasource.generate-unique-name=true");

	@Test
	void writesEventsOnAnEmbeddedDatabaseWithoutAnySetting() {
		this.runner.run((context) -> {
			assertThat(context).hasSingleBean(OutboxDatabase.class)
				.hasSingleBean(OutboxSchema.class)
				.hasSingleBean(OutboxWriter.class);
			assertThat(context.getBean(OutboxDatabase.class).dialect().name()).isEqualTo("h2");
			write(context);
			assertThat(count(context, "outbox_event")).isEqualTo(1);
		});
	}

	@Test
	void doesNothingWithoutADataSource() {
		this.withoutDataSource.run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(OutboxDatabase.class)
			.doesNotHaveBean(OutboxSchema.class)
			.doesNotHaveBean(OutboxWriter.class)
			.doesNotHaveBean(Partitioner.class));
	}

	@Test
	void doesNothingWhenSwitchedOff() {
		this.runner.withPropertyValues("outbox.enabled=false").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBeanDefinitionNames()).noneMatch((name) -> name.toLowerCase().contains("outbox"));
			assertThat(tableCount(context)).isZero();
		});
	}

	@Test
	void doesNothingWhenSwitchedOffAlthoughTheApplicationDefinesADatabase() {
		this.runner.withPropertyValues("outbox.enabled=false")
			.withUserConfiguration(OwnDatabase.class)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(OutboxWriter.class));
	}

	@Test
	void addsNoBeanOfATypeThatOthersLookFor() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(DataSource.class)
			.hasSingleBean(JdbcTemplate.class)
			.hasSingleBean(TransactionTemplate.class)
			.doesNotHaveBean(Flyway.class));
	}

	@Test
	void usesTheNamesInItsProperties() {
		this.runner.withPropertyValues("outbox.table=orders_event", "outbox.schema.name=app").run((context) -> {
			write(context);
			assertThat(count(context, "app.orders_event")).isEqualTo(1);
		});
	}

	@Test
	void refusesATableNameThatIsNone() {
		this.runner.withPropertyValues("outbox.table=outbox_event; DROP TABLE users")
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.isInstanceOf(IllegalArgumentException.class)
				.hasMessageContaining("outbox.table"));
	}

	@Test
	void leavesTheTablesAloneWhenToldSo() {
		this.runner.withPropertyValues("outbox.schema.mode=none").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(tableCount(context)).isZero();
		});
	}

	@Test
	void primaryOfSeveralDataSourcesIsUsed() {
		this.withoutDataSource.withUserConfiguration(OtherDataSource.class, PrimaryDataSource.class)
			.run((context) -> assertThat(context.getBean(OutboxDatabase.class).dataSource())
				.isSameAs(context.getBean("primaryDataSource")));
	}

	@Test
	void markedOneOfSeveralDataSourcesIsUsed() {
		this.withoutDataSource
			.withUserConfiguration(OtherDataSource.class, PrimaryDataSource.class, MarkedDataSource.class)
			.run((context) -> {
				assertThat(context.getBean(OutboxDatabase.class).dataSource())
					.isSameAs(context.getBean("markedDataSource"));
				assertThat(JdbcClient.create(context.getBean("markedDataSource", DataSource.class))
					.sql("SELECT COUNT(*) FROM outbox_event")
					.query(Integer.class)
					.single()).isZero();
			});
	}

	@Test
	void markedDataSourceNeedNotBeACandidateForOthers() {
		this.runner.withUserConfiguration(HiddenMarkedDataSource.class)
			.run((context) -> assertThat(context.getBean(OutboxDatabase.class).dataSource())
				.isSameAs(context.getBean("hiddenDataSource")));
	}

	@Test
	void dataSourceBehindATransactionAwareProxyIsUsed() {
		this.withoutDataSource.withUserConfiguration(ProxiedDataSource.class).run((context) -> {
			assertThat(context.getBean(OutboxDatabase.class).dataSource()).isSameAs(ProxiedDataSource.TARGET);
			write(context);
			assertThat(count(context, "outbox_event")).isEqualTo(1);
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void startFailsWithAdviceIfThereAreSeveralDataSources(CapturedOutput output) {
		assertThat(FailedStart.report(output, SeveralDataSources.class))
			.contains("There are several DataSources and none of them is primary")
			.contains("Action:")
			.contains("@OutboxDataSource");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void startFailsWithAdviceIfSeveralDataSourcesAreMarked(CapturedOutput output) {
		assertThat(FailedStart.report(output, SeveralMarkedDataSources.class))
			.contains("Several DataSources are marked with @OutboxDataSource")
			.contains("and no other");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void startFailsWithAdviceIfTheTablesAreMissing(CapturedOutput output) {
		assertThat(FailedStart.report(output, PlainApplication.class, "outbox.schema.mode=validate",
				"spring.datasource.generate-unique-name=true"))
			.contains("The outbox's table \"OUTBOX_EVENT\" does not exist")
			.contains("Action:")
			.contains("Run dev/outbox/schema/h2/V1__create_outbox.sql from the class path")
			.contains("outbox.schema.mode=migrate");
	}

	@Test
	void ownDialectWins() {
		this.runner.withUserConfiguration(OwnDialect.class).run((context) -> {
			assertThat(context).hasSingleBean(SqlDialect.class);
			assertThat(context.getBean(OutboxDatabase.class).dialect()).isSameAs(context.getBean("ownDialect"));
			write(context);
		});
	}

	@Test
	void ownDatabaseWins() {
		this.runner.withUserConfiguration(OwnDatabase.class).run((context) -> {
			assertThat(context).hasSingleBean(OutboxDatabase.class).hasBean("ownDatabase");
			write(context);
			assertThat(count(context, "own_event")).isEqualTo(1);
		});
	}

	@Test
	void ownSchemaWins() {
		this.runner.withUserConfiguration(OwnSchema.class).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(OutboxSchema.class).hasBean("ownSchema");
			assertThat(tableCount(context)).isZero();
		});
	}

	@Test
	void ownPartitionerWins() {
		this.runner.withUserConfiguration(OwnPartitioner.class).run((context) -> {
			assertThat(context).hasSingleBean(Partitioner.class).hasBean("ownPartitioner");
			write(context);
			assertThat(context.getBean(JdbcTemplate.class)
				.queryForObject("SELECT partition_no FROM outbox_event", Integer.class)).isEqualTo(42);
		});
	}

	@Test
	void ownWriterWins() {
		this.runner.withUserConfiguration(OwnWriter.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(OutboxWriter.class)
				.hasBean("ownWriter"));
	}

	@Test
	void limitsAndPartitionsComeFromTheProperties() {
		this.runner.withPropertyValues("outbox.write.max-payload=10B", "outbox.partitions.count=1").run((context) -> {
			write(context);
			assertThat(context.getBean(JdbcTemplate.class)
				.queryForObject("SELECT partition_no FROM outbox_event", Integer.class)).isZero();
			TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
			OutboxWriter writer = context.getBean(OutboxWriter.class);
			assertThatExceptionOfType(InvalidEventException.class)
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> writer.write("T", "12345678901")))
				.withMessageContaining("outbox.write.max-payload is 10");
		});
	}

	@Test
	void startsWithoutFlywayLiquibaseAndJpa() {
		this.runner
			.withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class, LiquibaseAutoConfiguration.class,
					HibernateJpaAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("org.flywaydb", "liquibase", "jakarta.persistence",
					"org.hibernate", "org.springframework.orm"))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				write(context);
			});
	}

	@Test
	void queryTimeoutComesFromTheProperties() {
		this.runner.withPropertyValues("outbox.jdbc.query-timeout=1500ms").run((context) -> {
			JdbcTemplate own = (JdbcTemplate) context.getBean(OutboxDatabase.class)
				.transactions()
				.jdbc()
				.getJdbcOperations();
			assertThat(own.getQueryTimeout()).isEqualTo(2);
		});
	}

	@Test
	void serializerAndTypesDoNotNeedADatabase() {
		this.withoutDataSource
			.run((context) -> assertThat(context).hasSingleBean(EventSerializer.class).hasSingleBean(EventTypes.class));
	}

	private static void write(AssertableApplicationContext context) {
		assertThat(context).hasNotFailed();
		context.getBean(TransactionTemplate.class)
			.executeWithoutResult((status) -> context.getBean(OutboxWriter.class).write(EventType.of("T"), "{}"));
	}

	private static int count(AssertableApplicationContext context, String table) {
		return context.getBean(JdbcTemplate.class).queryForObject("SELECT COUNT(*) FROM " + table, Integer.class);
	}

	private static int tableCount(AssertableApplicationContext context) {
		return TableShape.tables(context.getBean(DataSource.class), null).size();
	}

	private static DataSource h2() {
		return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, OutboxJdbcAutoConfiguration.class,
			OutboxSerializeAutoConfiguration.class, OutboxWriteAutoConfiguration.class })
	static class PlainApplication {

	}

	@Configuration(proxyBeanMethods = false)
	static class OtherDataSource {

		@Bean
		DataSource otherDataSource() {
			return h2();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrimaryDataSource {

		@Bean
		@Primary
		DataSource primaryDataSource() {
			return h2();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MarkedDataSource {

		@Bean
		@OutboxDataSource
		DataSource markedDataSource() {
			return h2();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class HiddenMarkedDataSource {

		@Bean(defaultCandidate = false)
		@OutboxDataSource
		DataSource hiddenDataSource() {
			return h2();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ProxiedDataSource {

		static final DataSource TARGET = h2();

		@Bean
		DataSource proxiedDataSource() {
			return new TransactionAwareDataSourceProxy(TARGET);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, OutboxJdbcAutoConfiguration.class })
	static class SeveralDataSources {

		@Bean
		DataSource first() {
			return h2();
		}

		@Bean
		DataSource second() {
			return h2();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, OutboxJdbcAutoConfiguration.class })
	static class SeveralMarkedDataSources {

		@Bean
		@OutboxDataSource
		DataSource first() {
			return h2();
		}

		@Bean
		@Primary
		@OutboxDataSource
		DataSource second() {
			return h2();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnDialect {

		@Bean
		SqlDialect ownDialect() {
			return new H2Dialect(false);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnDatabase {

		@Bean
		OutboxDatabase ownDatabase(DataSource dataSource) {
			SqlDialect dialect = SqlDialects.detect(dataSource);
			OutboxTables tables = new OutboxTables(dialect, null, "own_event");
			return new OutboxDatabase(dataSource, dialect, tables,
					new ShortTransactions(dataSource, dialect, tables, Duration.ofSeconds(1)));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnSchema {

		@Bean
		OutboxSchema ownSchema(OutboxDatabase database) {
			return new OutboxSchema(database.dataSource(), database.dialect(), database.tables(), SchemaMode.NONE);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnPartitioner {

		@Bean
		Partitioner ownPartitioner() {
			return (event, count) -> 42;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnWriter {

		@Bean
		OutboxWriter ownWriter() {
			return new NoWriter();
		}

	}

	private static final class NoWriter implements OutboxWriter {

		@Override
		public String write(EventEnvelope event) {
			return null;
		}

		@Override
		public String write(Object event) {
			return null;
		}

		@Override
		public String write(String eventType, String payloadJson) {
			return null;
		}

		@Override
		public String write(EventType eventType, String payloadJson) {
			return null;
		}

		@Override
		public List<String> writeAll(Collection<?> events) {
			return List.of();
		}

	}

}
