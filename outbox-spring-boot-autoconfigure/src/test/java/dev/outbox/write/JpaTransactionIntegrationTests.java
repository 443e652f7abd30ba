package dev.outbox.write;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import dev.outbox.EventNotWrittenException;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxTransactionException;
import dev.outbox.OutboxWriter;
import dev.outbox.jdbc.OutboxJdbcAutoConfiguration;
import dev.outbox.serialize.OutboxSerializeAutoConfiguration;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.PoolOptions;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.Table;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.domain.AbstractAggregateRoot;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.data.repository.CrudRepository;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The same as with JDBC holds for JPA, whose transaction manager keeps its own account of
 * what may be committed.
 */
@EachDatabase(except = TestDatabase.SQLITE)
class JpaTransactionIntegrationTests {

	private final TestDatabase database;

	JpaTransactionIntegrationTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void eventAndEntityShareTheirFate() {
		run((context) -> {
			for (boolean commit : new boolean[] { true, false }) {
				in(context, TransactionDefinition.PROPAGATION_REQUIRED, (status) -> {
					save(context, "required-" + commit);
					if (!commit) {
						status.setRollbackOnly();
					}
				});
				in(context, TransactionDefinition.PROPAGATION_REQUIRED, (outer) -> {
					in(context, TransactionDefinition.PROPAGATION_REQUIRES_NEW, (inner) -> {
						save(context, "new-" + commit);
						if (!commit) {
							inner.setRollbackOnly();
						}
					});
					outer.setRollbackOnly();
				});
			}
			assertThat(orders(context)).containsExactlyInAnyOrder("new-true", "required-true");
			assertThat(events(context)).containsExactlyInAnyOrder("new-true", "required-true");
		});
	}

	@Test
	void aSwallowedFailureRefusesTheCommit() {
		run((context) -> {
			OutboxWriter writer = context.getBean(OutboxWriter.class);
			assertThatExceptionOfType(EventNotWrittenException.class)
				.isThrownBy(() -> in(context, TransactionDefinition.PROPAGATION_REQUIRED, (status) -> {
					save(context, "lost");
					WriterFixture.swallowing(() -> writer.write("", "{}"));
				}));
			assertThatExceptionOfType(EventNotWrittenException.class)
				.isThrownBy(() -> in(context, TransactionDefinition.PROPAGATION_REQUIRED, (status) -> {
					save(context, "lost too");
					TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
						@Override
						public void beforeCommit(boolean readOnly) {
							WriterFixture.swallowing(() -> writer.write("", "{}"));
						}
					});
				}));
			assertThat(orders(context)).isEmpty();
			assertThat(events(context)).isEmpty();
		});
	}

	@Test
	void anEventWrittenWhileTheCommitFlushesIsCommitted() {
		run((context) -> {
			CustomerOrder.onUpdate = () -> context.getBean(OutboxWriter.class).write(new Placed("updated"));
			in(context, TransactionDefinition.PROPAGATION_REQUIRED,
					(status) -> context.getBean(EntityManager.class).persist(new CustomerOrder("1")));
			in(context, TransactionDefinition.PROPAGATION_REQUIRED, (status) -> {
				CustomerOrder order = context.getBean(EntityManager.class).find(CustomerOrder.class, "1");
				order.note = "changed";
			});
			assertThat(events(context)).containsExactly("updated");
		});
	}

	@Test
	void aWriteIsRefusedWhereItWouldGoItsOwnWay() {
		run((context) -> {
			OutboxWriter writer = context.getBean(OutboxWriter.class);
			Placed event = new Placed("refused");
			List<Runnable> attempts = List.of(() -> writer.write(event),
					() -> in(context, TransactionDefinition.PROPAGATION_SUPPORTS, (status) -> writer.write(event)),
					() -> {
						TransactionTemplate readOnly = new TransactionTemplate(
								context.getBean(PlatformTransactionManager.class));
						readOnly.setReadOnly(true);
						readOnly.executeWithoutResult((status) -> writer.write(event));
					});
			for (Runnable attempt : attempts) {
				assertThatExceptionOfType(OutboxTransactionException.class).isThrownBy(attempt::run);
			}
			List<RuntimeException> afterCommit = new ArrayList<>();
			in(context, TransactionDefinition.PROPAGATION_REQUIRED, (status) -> TransactionSynchronizationManager
				.registerSynchronization(new TransactionSynchronization() {
					@Override
					public void afterCommit() {
						afterCommit.add(WriterFixture.swallowing(() -> writer.write(event)));
					}
				}));
			assertThat(afterCommit).singleElement().asString().contains("REQUIRES_NEW");
			assertThat(events(context)).isEmpty();
		});
	}

	@Test
	void domainEventsOfSpringDataAreWritten() {
		run((context) -> {
			assertThat(context.getBean(PlatformTransactionManager.class)).isInstanceOf(JpaTransactionManager.class);
			Orders repository = context.getBean(Orders.class);
			repository.save(new CustomerOrder("from Spring Data").place());
			assertThat(orders(context)).containsExactly("from Spring Data");
			assertThat(events(context)).containsExactly("from Spring Data");
		});
	}

	private void run(Consumer<AssertableApplicationContext> test) {
		for (boolean autoCommit : new boolean[] { true, false }) {
			try (TestDataSource source = this.database.freshDatabase(PoolOptions.defaults().withMaximumPoolSize(2))) {
				new ApplicationContextRunner()
					.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
							DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
							HibernateJpaAutoConfiguration.class, DataJpaRepositoriesAutoConfiguration.class,
							TransactionAutoConfiguration.class, OutboxJdbcAutoConfiguration.class,
							OutboxSerializeAutoConfiguration.class, OutboxWriteAutoConfiguration.class))
					.withUserConfiguration(Application.class)
					.withPropertyValues("spring.datasource.url=" + source.url(),
							"spring.datasource.username=" + source.username(),
							"spring.datasource.password=" + source.password(), "spring.jpa.hibernate.ddl-auto=create",
							"spring.datasource.hikari.auto-commit=" + autoCommit,
							"spring.datasource.hikari.maximum-pool-size=2", "outbox.schema.mode=migrate")
					.run((context) -> {
						assertThat(context).hasNotFailed();
						test.accept(context);
					});
			}
		}
	}

	private static void in(AssertableApplicationContext context, int propagation, Consumer<TransactionStatus> work) {
		WriterFixture.template(context.getBean(PlatformTransactionManager.class), propagation)
			.executeWithoutResult(work);
	}

	private static void save(AssertableApplicationContext context, String id) {
		context.getBean(EntityManager.class).persist(new CustomerOrder(id));
		context.getBean(OutboxWriter.class).write(new Placed(id));
	}

	private static List<String> orders(AssertableApplicationContext context) {
		return context.getBean(JdbcTemplate.class).queryForList("SELECT id FROM customer_order", String.class);
	}

	private static List<String> events(AssertableApplicationContext context) {
		return context.getBean(JdbcTemplate.class).queryForList("SELECT aggregate_id FROM outbox_event", String.class);
	}

	/**
	 * An event.
	 *
	 * @param orderId the order
	 */
	@OutboxEvent(type = "JpaPlaced", aggregateId = "orderId")
	record Placed(String orderId) {

	}

	/**
	 * An entity that publishes an event when it is saved.
	 */
	@Entity
	@Table(name = "customer_order")
	static class CustomerOrder extends AbstractAggregateRoot<CustomerOrder> {

		private static Runnable onUpdate = () -> {
		};

		@Id
		private String id = "";

		private String note = "";

		@PreUpdate
		void beforeUpdate() {
			onUpdate.run();
		}

		protected CustomerOrder() {
		}

		CustomerOrder(String id) {
			this.id = id;
		}

		CustomerOrder place() {
			return andEvent(new Placed(this.id));
		}

	}

	/**
	 * A repository.
	 */
	interface Orders extends CrudRepository<CustomerOrder, String> {

	}

	/**
	 * The application.
	 */
	@Configuration(proxyBeanMethods = false)
	@AutoConfigurationPackage
	@EnableJpaRepositories(considerNestedRepositories = true)
	static class Application {

	}

}
