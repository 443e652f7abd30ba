package dev.outbox.dead;

import java.util.Optional;

import dev.outbox.jdbc.OutboxJdbcAutoConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OutboxDeadAutoConfiguration}.
 */
class OutboxDeadAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(OutboxDeadAutoConfiguration.class, OutboxJdbcAutoConfiguration.class));

	private final ApplicationContextRunner withDataSource = this.runner
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceInitializationAutoConfiguration.class))
		.withPropertyValues("spring.datasource.generate-unique-name=true");

	@Test
	void showsTheDeadEventsOfTheOutbox() {
		this.withDataSource.run((context) -> {
			assertThat(context.getBean(DeadEvents.class).count(DeadEventQuery.ofAll())).isZero();
			assertThat(context.getBeanFactory().getBeanDefinition("outboxDeadEvents").getDependsOn())
				.contains("outboxSchema");
		});
	}

	@Test
	void isOffWithoutADatabaseAndWithTheOutbox() {
		this.runner.run((context) -> assertThat(context).doesNotHaveBean(DeadEvents.class));
		this.withDataSource.withPropertyValues("outbox.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(DeadEvents.class));
	}

	@Test
	void backsOffForAnotherOne() {
		this.withDataSource.withBean("mine", DeadEvents.class, Nothing::new)
			.run((context) -> assertThat(context.getBean(DeadEvents.class)).isInstanceOf(Nothing.class));
	}

	private static final class Nothing implements DeadEvents {

		@Override
		public DeadEventPage find(DeadEventQuery query) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Optional<DeadEvent> get(String eventId) {
			throw new UnsupportedOperationException();
		}

		@Override
		public long count(DeadEventQuery query) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void replay(String eventId) {
			throw new UnsupportedOperationException();
		}

		@Override
		public ReplayReport replayAll(DeadEventQuery query, ReplayOptions options) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void discard(String eventId) {
			throw new UnsupportedOperationException();
		}

	}

}
