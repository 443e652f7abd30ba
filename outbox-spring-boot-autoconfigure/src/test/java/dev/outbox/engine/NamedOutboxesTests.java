package dev.outbox.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.EventEnvelope;
import dev.outbox.EventNotWrittenException;
import dev.outbox.OutboxListener;
import dev.outbox.OutboxTransactionException;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests of a second outbox on a second DataSource.
 */
class NamedOutboxesTests {

	private final ApplicationContextRunner runner = EngineFixture.withoutDataSource()
		.withUserConfiguration(TwoDataSources.class)
		.withPropertyValues("spring.flyway.enabled=false", "audit-outbox.dispatch.workers=2");

	private final ApplicationContextRunner withAudit = this.runner.withUserConfiguration(Audit.class);

	@Test
	void eachListenerGetsTheEventsOfItsOutboxOnly() {
		this.withAudit.withBean(Listeners.class).run((context) -> {
			assertThat(context).hasNotFailed();
			Outbox audit = context.getBean("auditOutbox", Outbox.class);
			String toDefault = write(context, "transactionManager", context.getBean(Outbox.class));
			String toAudit = write(context, "auditTransactionManager", audit);
			DeliveryLog byDefault = context.getBean(Listeners.class).byDefault;
			DeliveryLog byAudit = context.getBean(Listeners.class).byAudit;
			byDefault.await(toDefault);
			byAudit.await(toAudit);
			await().atMost(Duration.ofSeconds(30))
				.until(() -> delivered(audit) == 1 && delivered(context.getBean(Outbox.class)) == 1);
			byDefault.assertOnceEach(Set.of(toDefault));
			byAudit.assertOnceEach(Set.of(toAudit));
		});
	}

	@Test
	void itHasItsOwnNameSettingsAndTables() {
		this.withAudit.run((context) -> {
			Outbox audit = context.getBean("auditOutbox", Outbox.class);
			assertThat(audit.name()).isEqualTo("audit");
			assertThat(audit.isRunning()).isTrue();
			assertThat(audit.settings().dispatch().workers()).isEqualTo(2);
			assertThat(context.getBean(Outbox.class).settings().dispatch().workers()).isEqualTo(4);
			assertThat(context.getBean(Outbox.class).name()).isEqualTo("outbox");
			assertThat(audit.database().dataSource()).isSameAs(context.getBean("auditDataSource"));
		});
	}

	@Test
	void itIsWrittenToInItsOwnTransactionsOnly() {
		this.withAudit.run((context) -> assertThatExceptionOfType(OutboxTransactionException.class)
			.isThrownBy(() -> write(context, "transactionManager", context.getBean("auditOutbox", Outbox.class))));
	}

	@Test
	void aWriteThatFailedAndWasSwallowedPreventsTheCommit() {
		this.withAudit.run((context) -> {
			Outbox audit = context.getBean("auditOutbox", Outbox.class);
			assertThatExceptionOfType(EventNotWrittenException.class)
				.isThrownBy(() -> transactions(context, "auditTransactionManager")
					.executeWithoutResult((status) -> assertThatExceptionOfType(RuntimeException.class)
						.isThrownBy(() -> audit.writer().write("", "{}"))));
		});
	}

	@Test
	void aListenerOfAnUnknownOutboxIsRefused() {
		this.runner.withBean(Listeners.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("there is no outbox with the name 'audit'")
				.hasMessageContaining("byAudit"));
	}

	@Test
	void twoOutboxesOfOneNameAreRefused() {
		this.withAudit.withUserConfiguration(SecondAudit.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("several outboxes with the name 'audit'"));
	}

	private static String write(ApplicationContext context, String manager, Outbox outbox) {
		return Objects
			.requireNonNull(transactions(context, manager).execute((status) -> outbox.writer().write("Placed", "{}")));
	}

	private static TransactionTemplate transactions(ApplicationContext context, String manager) {
		return new TransactionTemplate(context.getBean(manager, PlatformTransactionManager.class));
	}

	private static long delivered(Outbox outbox) {
		return Objects.requireNonNull(outbox.statistics()).delivered();
	}

	static class Listeners {

		final DeliveryLog byDefault = new DeliveryLog();

		final DeliveryLog byAudit = new DeliveryLog();

		@OutboxListener("Placed")
		void byDefault(EventEnvelope event) {
			this.byDefault.onEvent(event);
		}

		@OutboxListener(value = "Placed", outbox = "audit")
		void byAudit(EventEnvelope event) {
			this.byAudit.onEvent(event);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDataSources {

		@Bean
		@Primary
		DataSource dataSource() {
			return embedded();
		}

		@Bean
		DataSource auditDataSource() {
			return embedded();
		}

		@Bean
		@Primary
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		PlatformTransactionManager auditTransactionManager(@Qualifier("auditDataSource") DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		private static DataSource embedded() {
			HikariDataSource dataSource = new HikariDataSource();
			dataSource.setJdbcUrl(EngineFixture.url(UUID.randomUUID().toString()));
			return dataSource;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Audit {

		@Bean
		Outbox auditOutbox(OutboxBuilder builder, @Qualifier("auditDataSource") DataSource dataSource,
				@Qualifier("auditTransactionManager") PlatformTransactionManager transactionManager) {
			return builder.name("audit")
				.dataSource(dataSource)
				.transactionManager(transactionManager)
				.settings("audit-outbox")
				.build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SecondAudit {

		@Bean
		Outbox secondAuditOutbox(OutboxBuilder builder, @Qualifier("auditDataSource") DataSource dataSource) {
			return builder.name("audit").dataSource(dataSource).build();
		}

	}

}
