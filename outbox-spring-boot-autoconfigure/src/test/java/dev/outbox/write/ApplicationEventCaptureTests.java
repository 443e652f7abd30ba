package dev.outbox.write;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxTransactionException;
import dev.outbox.jdbc.OutboxJdbcAutoConfiguration;
import dev.outbox.serialize.OutboxSerializeAutoConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Annotated objects published through Spring are written, others are left alone.
 */
class ApplicationEventCaptureTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
				TransactionAutoConfiguration.class, OutboxJdbcAutoConfiguration.class,
				OutboxSerializeAutoConfiguration.class, OutboxWriteAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1")
		.withUserConfiguration(Listening.class);

	@Test
	void anAnnotatedObjectIsWrittenAndOtherListenersGetItToo() {
		this.runner.run((context) -> {
			inTransaction(context, () -> {
				context.publishEvent(new Published("1"));
				context.publishEvent(new Plain("2"));
				context.publishEvent("a string");
			});
			assertThat(written(context)).containsExactly("1");
			assertThat(context.getBean(Listening.class).seen).containsExactly("Published[id=1]", "Plain[id=2]");
		});
	}

	@Test
	void itIsRolledBackWithItsTransaction() {
		this.runner.run((context) -> {
			new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
				.executeWithoutResult((status) -> {
					context.publishEvent(new Published("1"));
					status.setRollbackOnly();
				});
			assertThat(written(context)).isEmpty();
		});
	}

	@Test
	void withoutATransactionThePublisherIsTold() {
		this.runner.run((context) -> {
			assertThatExceptionOfType(OutboxTransactionException.class)
				.isThrownBy(() -> context.publishEvent(new Published("1")));
			assertThat(context.getBean(Listening.class).seen).isEmpty();
		});
	}

	@Test
	void theMulticasterStaysWhatItIs() {
		this.runner.run((context) -> assertThat(
				context.getBean(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME))
			.hasSameClassAs(new SimpleApplicationEventMulticaster()));
	}

	@Test
	void anAsynchronousMulticasterDoesNotTakeItOutOfItsTransaction() {
		this.runner.withBean(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
				SimpleApplicationEventMulticaster.class, () -> {
					SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
					multicaster.setTaskExecutor(new SimpleAsyncTaskExecutor());
					return multicaster;
				})
			.run((context) -> {
				inTransaction(context, () -> context.publishEvent(new Published("1")));
				assertThat(written(context)).containsExactly("1");
			});
	}

	@Test
	void itCanBeSwitchedOff() {
		this.runner.withPropertyValues("outbox.write.application-events=false").run((context) -> {
			inTransaction(context, () -> context.publishEvent(new Published("1")));
			assertThat(written(context)).isEmpty();
			assertThat(context.getBean(Listening.class).seen).containsExactly("Published[id=1]");
		});
	}

	private static void inTransaction(AssertableApplicationContext context, Runnable work) {
		new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
			.executeWithoutResult((status) -> work.run());
	}

	private static List<String> written(AssertableApplicationContext context) {
		return context.getBean(JdbcTemplate.class).queryForList("SELECT aggregate_id FROM outbox_event", String.class);
	}

	/**
	 * An event.
	 *
	 * @param id what it is about
	 */
	@OutboxEvent(type = "CapturePublished", aggregateId = "id")
	record Published(String id) {

	}

	/**
	 * An object that is none of the outbox's business.
	 *
	 * @param id anything
	 */
	record Plain(String id) {

	}

	/**
	 * An ordinary listener.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Listening {

		private final List<String> seen = new ArrayList<>();

		@EventListener
		void on(Published event) {
			this.seen.add(event.toString());
		}

		@EventListener
		void on(Plain event) {
			this.seen.add(event.toString());
		}

	}

}
