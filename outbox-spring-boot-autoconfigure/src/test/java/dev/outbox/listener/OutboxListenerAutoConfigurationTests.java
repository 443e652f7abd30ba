package dev.outbox.listener;

import java.util.List;

import dev.outbox.EventPayload;
import dev.outbox.FailedStart;
import dev.outbox.OutboxListener;
import dev.outbox.serialize.EventSerializer;
import dev.outbox.serialize.EventTypes;
import dev.outbox.serialize.OutboxSerializeAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static dev.outbox.listener.ListenerFixture.runner;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OutboxListenerAutoConfiguration}.
 */
class OutboxListenerAutoConfigurationTests {

	@Test
	void applicationWithoutListenersStarts() {
		runner().run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(ListenerRegistry.class);
			assertThat(context.getBean(ListenerRegistry.class).endpoints()).isEmpty();
		});
	}

	@Test
	void backsOffForAnotherRegistryAndFillsIt() {
		runner().withUserConfiguration(OwnRegistry.class).withBean("orders", Orders.class).run((context) -> {
			assertThat(context).hasSingleBean(ListenerRegistry.class).hasBean("ownRegistry");
			assertThat(context.getBean(ListenerRegistry.class).endpoints()).extracting(ListenerEndpoint::id)
				.containsExactly("ByHand", "orders.on");
		});
	}

	@Test
	void backsOffForAnotherScanner() {
		runner()
			.withBean("ownScanner", ListenerScanner.class,
					() -> new ListenerScanner(new DefaultListableBeanFactory(), new EventTypes(List.of()),
							new NoSerializer()))
			.withBean("orders", Orders.class)
			.run((context) -> {
				assertThat(context).hasSingleBean(ListenerScanner.class);
				assertThat(context.getBean(ListenerRegistry.class).endpoints()).isEmpty();
			});
	}

	@Test
	void doesNothingWhenTheOutboxIsSwitchedOff() {
		runner().withPropertyValues("outbox.enabled=false")
			.withBean(Wrong.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(ListenerRegistry.class)
				.doesNotHaveBean(ListenerScanner.class)
				.doesNotHaveBean(OutboxListenerRegistrar.class));
	}

	@Test
	void listenersAreThereBeforeAnythingIsStarted() {
		runner().withBean("orders", Orders.class)
			.withBean(Starting.class)
			.run((context) -> assertThat(context.getBean(Starting.class).endpoints).isEqualTo(1));
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void startFailsWithAdviceIfAMethodCannotBeAListener(CapturedOutput output) {
		assertThat(FailedStart.report(output, WrongApplication.class))
			.contains("@OutboxListener on " + Wrong.class.getName() + ".on(OrderPlaced): it is static")
			.contains("Action:")
			.contains("remove 'static'");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void startFailsWithAdviceIfTwoListenersTakeTheSameEvents(CapturedOutput output) {
		assertThat(FailedStart.report(output, DuplicateApplication.class)).contains(Orders.class.getName() + ".on")
			.contains("take the same events, OrderPlaced")
			.contains("Action:")
			.contains("@OutboxListener(id = \"mail\")");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void startFailsWithAdviceIfAPropertyIsMissing(CapturedOutput output) {
		assertThat(FailedStart.report(output, MissingPropertyApplication.class))
			.contains(Missing.class.getName() + ".on(OrderPlaced)")
			.contains("no.such.property")
			.contains("Action:");
	}

	static class Orders {

		@OutboxListener
		void on(OrderPlaced event) {
		}

	}

	static class Wrong {

		@OutboxListener
		static void on(OrderPlaced event) {
		}

	}

	static class Missing {

		@OutboxListener(id = "${no.such.property}")
		void on(OrderPlaced event) {
		}

	}

	static class Starting implements SmartLifecycle {

		private final ListenerRegistry registry;

		private int endpoints;

		Starting(ListenerRegistry registry) {
			this.registry = registry;
		}

		@Override
		public void start() {
			this.endpoints = this.registry.endpoints().size();
		}

		@Override
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return false;
		}

	}

	static class NoSerializer implements EventSerializer {

		@Override
		public EventPayload serialize(Object event) {
			throw new UnsupportedOperationException();
		}

		@Override
		public <T> T deserialize(EventPayload payload, Class<T> type) {
			throw new UnsupportedOperationException();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnRegistry {

		@Bean
		ListenerRegistry ownRegistry() {
			ListenerRegistry registry = new ListenerRegistry();
			registry.register("ByHand", (event) -> {
			});
			return registry;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ OutboxSerializeAutoConfiguration.class, OutboxListenerAutoConfiguration.class })
	static class WrongApplication {

		@Bean
		Wrong wrong() {
			return new Wrong();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ OutboxSerializeAutoConfiguration.class, OutboxListenerAutoConfiguration.class })
	static class DuplicateApplication {

		@Bean
		Orders first() {
			return new Orders();
		}

		@Bean
		Orders second() {
			return new Orders();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ OutboxSerializeAutoConfiguration.class, OutboxListenerAutoConfiguration.class,
			PropertyPlaceholderAutoConfiguration.class })
	static class MissingPropertyApplication {

		@Bean
		Missing missing() {
			return new Missing();
		}

	}

}
