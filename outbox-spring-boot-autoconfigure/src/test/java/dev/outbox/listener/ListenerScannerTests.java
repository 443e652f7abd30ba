package dev.outbox.listener;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxListener;
import dev.outbox.listener.elsewhere.ElsewhereApplication;
import dev.outbox.serialize.EventSerializer;
import dev.outbox.serialize.EventTypes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanDefinitionCustomizer;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.annotation.AliasFor;

import static dev.outbox.listener.ListenerFixture.call;
import static dev.outbox.listener.ListenerFixture.done;
import static dev.outbox.listener.ListenerFixture.only;
import static dev.outbox.listener.ListenerFixture.placed;
import static dev.outbox.listener.ListenerFixture.registry;
import static dev.outbox.listener.ListenerFixture.runner;
import static dev.outbox.listener.ListenerFixture.with;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ListenerScanner}: which methods it finds, and what it makes of their
 * annotations.
 */
class ListenerScannerTests {

	private static final AtomicInteger made = new AtomicInteger();

	private static final List<Object> seen = new ArrayList<>();

	@BeforeEach
	void forget() {
		made.set(0);
		seen.clear();
	}

	@Test
	void takesTheEventTypeFromTheClassOfTheEvent() {
		with(Plain.class, (context) -> {
			assertThat(only(context).subscriptions()).containsExactly(new Subscription(null, "order.cancelled"));
			assertThat(registry(context).endpointsFor("Order", "order.cancelled")).containsExactly(only(context));
		});
	}

	@Test
	void derivesTheIdFromBeanAndMethod() {
		with(Plain.class, (context) -> {
			assertThat(only(context).id()).isEqualTo("orders.cancelled");
			assertThat(only(context).hasOwnId()).isFalse();
		});
	}

	@Test
	void derivesDifferentIdsForOverloads() {
		with(Overloads.class, (context) -> assertThat(registry(context).endpoints()).extracting(ListenerEndpoint::id)
			.containsExactly("orders.on.Order:OrderPlaced", "orders.on.order.cancelled"));
	}

	@Test
	void derivesPlainIdsFromStrangeNames() {
		runner().withBean("my orders!", Plain.class)
			.run((context) -> assertThat(only(context).id()).matches("my_orders_\\.cancelled-[0-9a-f]{8}"));
	}

	@Test
	void takesSettingsFromTheAnnotationWithPlaceholdersResolved() {
		runner().withBean(Configured.class)
			.withPropertyValues("my.type=order.shipped", "my.aggregate=Order", "my.id=mail", "my.delay=500ms",
					"my.max=PT1M")
			.run((context) -> {
				ListenerEndpoint endpoint = only(context);
				assertThat(endpoint.id()).isEqualTo("mail");
				assertThat(endpoint.hasOwnId()).isTrue();
				assertThat(endpoint.subscriptions()).containsExactlyInAnyOrder(
						new Subscription("Order", "order.shipped"), new Subscription("Order", "OrderPlaced"));
				assertThat(endpoint.settings())
					.isEqualTo(new ListenerSettings(7, Duration.ofMillis(500), Duration.ofMinutes(1), 1.5,
							List.of(IllegalArgumentException.class), true, 100, Duration.ZERO, 256));
			});
	}

	@Test
	void takesSettingsOfBatchesAndOfAsynchronousMethods() {
		with(AsyncBatch.class, (context) -> assertThat(only(context).settings())
			.isEqualTo(new ListenerSettings(null, null, null, null, List.of(), false, 10, Duration.ofMillis(50), 8)));
	}

	@Test
	void leavesToTheOutboxWhatTheAnnotationDoesNotSay() {
		with(Plain.class, (context) -> assertThat(only(context).settings()).isEqualTo(ListenerSettings.DEFAULTS));
	}

	@Test
	void findsPackagePrivateMethodsOfAnyPackage() {
		runner().withUserConfiguration(ElsewhereApplication.class).run((context) -> {
			assertThat(only(context).id()).isEqualTo("hiddenListener.on");
			assertThat(call(context, EventEnvelope.ofJson("Hidden", "{}"))).containsExactly(done());
		});
	}

	@Test
	void findsMethodsWithAnAnnotationThatIsAnnotated() {
		with(Meta.class, (context) -> {
			assertThat(only(context).subscriptions()).containsExactly(new Subscription("Order", "OrderPlaced"));
			assertThat(only(context).settings().maxAttempts()).isEqualTo(2);
			assertThat(call(context, placed("1"))).containsExactly(done());
		});
	}

	@Test
	void findsInheritedMethodsAndTheirEventClass() {
		with(Child.class, (context) -> {
			assertThat(only(context).subscriptions()).containsExactly(new Subscription(null, "OrderPlaced"));
			assertThat(call(context, placed("1"))).containsExactly(done());
			assertThat(seen).containsExactly(new OrderPlaced("1"));
		});
	}

	@Test
	void findsOverriddenMethodsOnce() {
		with(Overriding.class, (context) -> {
			assertThat(call(context, placed("1"))).containsExactly(done());
			assertThat(seen).containsExactly("overridden", new OrderPlaced("1"));
		});
	}

	@Test
	void findsMethodsThatAnInterfaceAnnotates() {
		with(Implementing.class, (context) -> {
			assertThat(call(context, placed("1"))).containsExactly(done());
			assertThat(seen).containsExactly(new OrderPlaced("1"));
		});
	}

	@Test
	void findsMethodsOfConfigurations() {
		runner().withUserConfiguration(ListeningConfiguration.class).run((context) -> {
			assertThat(call(context, placed("1"))).containsExactly(done());
			assertThat(seen).containsExactly(new OrderPlaced("1"));
		});
	}

	@Test
	void findsMethodsOfRegisteredSingletons() {
		runner()
			.withInitializer(
					(context) -> context.getBeanFactory().registerSingleton("orders", new Counting("registered")))
			.run((context) -> assertThat(call(context, placed("1"))).containsExactly(done()));
		assertThat(seen).containsExactly("registered");
	}

	@Test
	void makesLazyBeansWhenTheFirstEventComes() {
		runner().withBean("orders", Counting.class, () -> new Counting("lazy"), lazy()).run((context) -> {
			assertThat(made).hasValue(0);
			assertThat(only(context).id()).isEqualTo("orders.on");
			call(context, placed("1"));
			call(context, placed("2"));
			assertThat(made).hasValue(1);
			assertThat(seen).containsExactly("lazy", "lazy");
		});
	}

	@Test
	void beanThatCannotBeMadeIsAFailureOfTheCall() {
		runner().withBean("orders", Counting.class, () -> {
			throw new IllegalStateException("no bean");
		}, lazy())
			.run((context) -> assertThat(ListenerFixture.cause(call(context, placed("1")).get(0)))
				.hasStackTraceContaining("no bean"));
	}

	@Test
	void makesAPrototypeForEachCall() {
		runner()
			.withBean("orders", Counting.class, () -> new Counting("prototype"),
					(definition) -> definition.setScope(BeanDefinition.SCOPE_PROTOTYPE))
			.run((context) -> {
				assertThat(made).hasValue(0);
				call(context, placed("1"));
				call(context, placed("2"));
				assertThat(made).hasValue(2);
			});
	}

	@Test
	void leavesLazyFactoriesAlone() {
		runner().withBean("orders", CountingFactory.class, CountingFactory::new, lazy()).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(made).hasValue(0);
			assertThat(only(context).id()).isEqualTo("orders.on");
		});
	}

	@Test
	void doesNotMakeALazyFactoryToLearnWhatItMakes() {
		runner().withBean("orders", SecretiveFactory.class, SecretiveFactory::new, lazy()).run((context) -> {
			assertThat(made).hasValue(0);
			assertThat(registry(context).endpoints()).isEmpty();
		});
	}

	@Test
	void asksAFactoryThatIsThereWhatItMakes() {
		runner().withBean("orders", SecretiveFactory.class, SecretiveFactory::new).run((context) -> {
			assertThat(only(context).id()).isEqualTo("orders.on");
			assertThat(call(context, placed("1"))).containsExactly(done());
		});
	}

	@Test
	void findsListenersWhenAllBeansAreLazy() {
		ApplicationContextRunner lazy = runner().withUserConfiguration(LazyConfiguration.class);
		lazy.withInitializer(
				(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> {
				assertThat(made).hasValue(0);
				assertThat(only(context).id()).isEqualTo("orders.on");
			});
	}

	@Test
	void doesNotMakeTheBeanOfAScopeBeforeItIsCalled() {
		runner().withUserConfiguration(PrototypeConfiguration.class).run((context) -> {
			assertThat(made).hasValue(0);
			assertThat(only(context).id()).isEqualTo("orders.on");
			call(context, placed("1"));
			call(context, placed("2"));
			assertThat(made).hasValue(2);
		});
	}

	@Test
	void registersOnlyTheListenersOfTheOutbox() {
		runner().withBean("orders", TwoOutboxes.class).run((context) -> {
			assertThat(ids(context)).containsExactly("orders.anywhere", "orders.first");
			assertThat(ids(context, "second", false)).containsExactly("orders.second");
			assertThat(ids(context, "second", true)).containsExactly("orders.anywhere", "orders.second");
			assertThat(ids(context, "third", false)).isEmpty();
		});
	}

	@Test
	void registersTheListenersOfTheOutboxThatThePropertyNames() {
		runner().withBean("orders", TwoOutboxes.class)
			.withPropertyValues("outbox.name=second")
			.run((context) -> assertThat(ids(context)).containsExactly("orders.anywhere", "orders.second"));
	}

	@Test
	void startFailsIfTwoMethodsTakeTheSameEvents() {
		runner().withBean("first", Plain.class)
			.withBean("second", Plain.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(DuplicateListenerException.class)
				.hasMessageContaining("Plain.cancelled(OrderCancelled)")
				.hasMessageContaining("order.cancelled"));
	}

	@Test
	void severalMethodsTakeTheSameEventsIfEachHasAnId() {
		with(Several.class,
				(context) -> assertThat(registry(context).endpointsFor("Order", "OrderPlaced"))
					.extracting(ListenerEndpoint::id)
					.containsExactly("mail", "stock"));
	}

	private static List<String> ids(AssertableApplicationContext context) {
		return registry(context).endpoints().stream().map(ListenerEndpoint::id).toList();
	}

	private static List<String> ids(AssertableApplicationContext context, String outbox, boolean isDefault) {
		ListenerRegistry registry = new ListenerRegistry();
		new ListenerScanner(context.getSourceApplicationContext().getBeanFactory(), context.getBean(EventTypes.class),
				context.getBean(EventSerializer.class))
			.registerInto(outbox, isDefault, registry);
		return registry.endpoints().stream().map(ListenerEndpoint::id).toList();
	}

	private static BeanDefinitionCustomizer lazy() {
		return (definition) -> definition.setLazyInit(true);
	}

	static class Plain {

		@OutboxListener
		void cancelled(OrderCancelled event) {
		}

	}

	static class Overloads {

		@OutboxListener(aggregateType = "Order")
		void on(OrderPlaced event) {
		}

		@OutboxListener
		void on(OrderCancelled event) {
		}

	}

	static class Configured {

		@OutboxListener(eventType = { "${my.type}", "OrderPlaced" }, aggregateType = "${my.aggregate}", id = "${my.id}",
				maxAttempts = 7, initialDelay = "${my.delay}", maxDelay = "${my.max}", multiplier = 1.5,
				noRetryFor = IllegalArgumentException.class, transactional = true)
		void on(OrderPlaced event) {
		}

	}

	static class AsyncBatch {

		@OutboxListener(batchSize = 10, batchWait = "50ms", maxInFlight = 8)
		CompletableFuture<@Nullable Void> on(List<OrderPlaced> events) {
			return CompletableFuture.completedFuture(null);
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@OutboxListener(maxAttempts = 2)
	@interface OrderListener {

		@AliasFor(annotation = OutboxListener.class, attribute = "aggregateType")
		String of() default "Order";

	}

	static class Meta {

		@OrderListener
		void on(OrderPlaced event) {
		}

	}

	abstract static class Parent<E> {

		@OutboxListener
		void on(E event) {
			seen.add(event);
		}

	}

	static class Child extends Parent<OrderPlaced> {

	}

	static class Overriding extends Parent<OrderPlaced> {

		@Override
		void on(OrderPlaced event) {
			seen.add("overridden");
			super.on(event);
		}

	}

	interface Annotating<E> {

		@OutboxListener
		void on(E event);

	}

	static class Implementing implements Annotating<OrderPlaced> {

		@Override
		public void on(OrderPlaced event) {
			seen.add(event);
		}

	}

	@Configuration
	static class ListeningConfiguration {

		@OutboxListener
		void on(OrderPlaced event) {
			seen.add(event);
		}

	}

	static class Counting {

		private final String name;

		Counting(String name) {
			this.name = name;
			made.incrementAndGet();
		}

		@OutboxListener
		void on(OrderPlaced event) {
			seen.add(this.name);
		}

	}

	static class CountingFactory implements FactoryBean<Counting> {

		CountingFactory() {
			made.incrementAndGet();
		}

		@Override
		public Counting getObject() {
			return new Counting("product");
		}

		@Override
		public Class<?> getObjectType() {
			return Counting.class;
		}

	}

	static class SecretiveFactory implements FactoryBean<Object> {

		SecretiveFactory() {
			made.incrementAndGet();
		}

		@Override
		public Object getObject() {
			return new Counting("product");
		}

		@Override
		public Class<?> getObjectType() {
			return Counting.class;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyConfiguration {

		@Bean
		@Lazy
		Counting orders() {
			return new Counting("lazy");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrototypeConfiguration {

		@Bean
		@Scope(BeanDefinition.SCOPE_PROTOTYPE)
		Counting orders() {
			return new Counting("prototype");
		}

	}

	static class TwoOutboxes {

		@OutboxListener
		void anywhere(OrderPlaced event) {
		}

		@OutboxListener(outbox = "outbox", eventType = "first")
		void first(EventEnvelope event) {
		}

		@OutboxListener(outbox = "second", eventType = "second")
		void second(EventEnvelope event) {
		}

	}

	static class Several {

		@OutboxListener(id = "stock")
		void stock(OrderPlaced event) {
		}

		@OutboxListener(id = "mail")
		void mail(OrderPlaced event) {
		}

	}

}
