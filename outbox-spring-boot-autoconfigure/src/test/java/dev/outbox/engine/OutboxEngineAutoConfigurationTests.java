package dev.outbox.engine;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

import dev.outbox.EventEnvelope;
import dev.outbox.EventInterceptor;
import dev.outbox.EventPayload;
import dev.outbox.OutboxListener;
import dev.outbox.OutboxWriter;
import dev.outbox.Partitioner;
import dev.outbox.dead.DeadEvents;
import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.jdbc.SqlDialects;
import dev.outbox.listener.ListenerRegistry;
import dev.outbox.retry.OutageClassifier;
import dev.outbox.retry.RetryPolicy;
import dev.outbox.serialize.EventSerializer;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link OutboxEngineAutoConfiguration}.
 */
class OutboxEngineAutoConfigurationTests {

	private final ApplicationContextRunner runner = EngineFixture.runner();

	@Test
	void whatIsWrittenIsDelivered() {
		this.runner.withBean(Placing.class).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(Outbox.class);
			Outbox outbox = context.getBean(Outbox.class);
			assertThat(outbox.isRunning()).isTrue();
			assertThat(outbox.nodeId()).isNotNull();
			assertThat(outbox.writer()).isSameAs(context.getBean(OutboxWriter.class));
			assertThat(outbox.deadEvents()).isSameAs(context.getBean(DeadEvents.class));
			assertThat(outbox.listeners()).isSameAs(context.getBean(ListenerRegistry.class));
			EngineFixture.write(context, "Placed");
			awaitCalls(context.getBean(Placing.class).threads, 1);
			assertThat(context.getBean(Placing.class).threads.element().getName()).startsWith("outbox-worker-");
		});
	}

	@Test
	void nothingIsThereIfTheOutboxIsSwitchedOff() {
		this.runner.withPropertyValues("outbox.enabled=false").run((context) -> assertThat(ours(context)).isEmpty());
	}

	@Test
	void thereIsNoOutboxWithoutADataSource() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(OutboxEngineAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Outbox.class));
	}

	@Test
	void aProcessThatOnlyWritesIsNoNode() {
		this.runner.withPropertyValues("outbox.dispatch.enabled=false").run((context) -> {
			assertThat(context.getBean(Outbox.class).isRunning()).isTrue();
			assertThat(context.getBean(Outbox.class).nodeId()).isNull();
		});
	}

	@Test
	void aRetryPolicyOfTheApplicationIsAsked() {
		Queue<Integer> asked = new ConcurrentLinkedQueue<>();
		this.runner.withBean("own", RetryPolicy.class, () -> (attempts) -> {
			asked.add(attempts);
			return Duration.ofHours(1);
		}).withBean(Failing.class).run((context) -> {
			assertThat(context).hasSingleBean(RetryPolicy.class);
			EngineFixture.write(context, "Placed");
			awaitCalls(asked, 1);
		});
	}

	@Test
	void anOutageClassifierOfTheApplicationIsAsked() {
		Queue<Throwable> asked = new ConcurrentLinkedQueue<>();
		this.runner.withBean("own", OutageClassifier.class, () -> asked::add).withBean(Failing.class).run((context) -> {
			assertThat(context).hasSingleBean(OutageClassifier.class);
			EngineFixture.write(context, "Placed");
			awaitCalls(asked, 1);
			assertThat(asked.element()).hasMessage("as always");
		});
	}

	@Test
	void workersOfTheApplicationAreUsed() {
		Queue<String> made = new ConcurrentLinkedQueue<>();
		this.runner.withBean("own", WorkerThreads.class, () -> (namePrefix, workers) -> {
			made.add(namePrefix + " " + workers);
			return executor("mine-", workers);
		}).withBean(Placing.class).withPropertyValues("outbox.dispatch.workers=3").run((context) -> {
			assertThat(context).hasSingleBean(WorkerThreads.class);
			EngineFixture.write(context, "Placed");
			awaitCalls(context.getBean(Placing.class).threads, 1);
			assertThat(context.getBean(Placing.class).threads.element().getName()).startsWith("mine-");
			assertThat(List.copyOf(made)).containsExactly("outbox-worker- 3");
		});
	}

	@Test
	void portsOfTheApplicationReplaceTheOutboxsOwn() {
		for (Class<?> port : List.of(ListenerRegistry.class, DeadEvents.class, EventSerializer.class, Partitioner.class,
				OutboxBuilder.class)) {
			AtomicReference<Object> own = new AtomicReference<>();
			this.runner.withInitializer((context) -> own.set(Objects.requireNonNull(standIn(port))))
				.withInitializer((context) -> context.getBeanFactory().registerSingleton("own", own.get()))
				.run((context) -> {
					assertThat(context).as(port.getSimpleName()).hasNotFailed().hasSingleBean(port);
					assertThat(context.getBean(port)).isSameAs(own.get());
				});
		}
	}

	@Test
	void aWriterOfTheApplicationReplacesTheOutboxsOwn() {
		EngineFixture.runner()
			.run((other) -> this.runner.withInitializer(
					(context) -> context.getBeanFactory().registerSingleton("own", other.getBean(OutboxWriter.class)))
				.run((context) -> {
					assertThat(context).hasNotFailed().hasSingleBean(OutboxWriter.class);
					assertThat(context.getBean(Outbox.class).writer()).isSameAs(other.getBean(OutboxWriter.class));
				}));
	}

	@Test
	void aDefaultOutboxOfTheApplicationReplacesTheAutoConfiguredOne() {
		this.runner
			.withBean("outboxEngine", Outbox.class,
					() -> Outbox.builder().dataSource(new DriverManagerDataSource(EngineFixture.url("own"))).build())
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(Outbox.class));
	}

	@Test
	void aBeanThatHappensToBeNamedOutboxDoesNotKeepEventsFromBeingDelivered() {
		this.runner.withBean("outbox", StringBuilder.class, StringBuilder::new)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(Outbox.class));
	}

	@Test
	void interceptorsAreCalledInTheirOrder() {
		Queue<String> calls = new ConcurrentLinkedQueue<>();
		this.runner.withBean("b", EventInterceptor.class, () -> new Second(calls))
			.withBean("a", EventInterceptor.class, () -> new First(calls))
			.withBean(Placing.class)
			.run((context) -> {
				EngineFixture.write(context, "Placed");
				awaitCalls(calls, 4);
				assertThat(List.copyOf(calls)).containsExactly("before first", "before second", "after second",
						"after first");
			});
	}

	/**
	 * Compares with the JVM that runs it, so that it says something on all of them.
	 */
	@Test
	void workersAreVirtualWhereTheApplicationWantsVirtualThreads() {
		boolean available = Runtime.version().feature() >= 21;
		this.runner.withPropertyValues("spring.threads.virtual.enabled=true").withBean(Placing.class).run((context) -> {
			EngineFixture.write(context, "Placed");
			awaitCalls(context.getBean(Placing.class).threads, 1);
			assertThat(isVirtual(context.getBean(Placing.class).threads.element())).isEqualTo(available);
		});
	}

	@Test
	void workersAreNotVirtualWhereTheApplicationDoesNotWantIt() {
		this.runner.withBean(Placing.class).run((context) -> {
			EngineFixture.write(context, "Placed");
			awaitCalls(context.getBean(Placing.class).threads, 1);
			assertThat(isVirtual(context.getBean(Placing.class).threads.element())).isFalse();
		});
	}

	@Test
	void noBeanOfTheApplicationVanishes() {
		ApplicationContextRunner application = this.runner.withUserConfiguration(Scheduling.class);
		AtomicReference<Set<String>> without = new AtomicReference<>(Set.of());
		application.withPropertyValues("outbox.enabled=false").run((context) -> without.set(beans(context)));
		assertThat(without.get()).contains("applicationTaskExecutor", "taskScheduler", "flyway", "jacksonJsonMapper");
		application.run((context) -> {
			assertThat(beans(context)).containsAll(without.get());
			assertThat(context).hasSingleBean(TaskScheduler.class)
				.hasSingleBean(Flyway.class)
				.hasSingleBean(JsonMapper.class);
			assertThat(context.getBeanNamesForType(TaskExecutor.class))
				.containsExactlyInAnyOrder("applicationTaskExecutor", "taskScheduler");
		});
	}

	@Test
	void deliveryBeginsAfterTheWebServerAndEndsBetweenItsLastRequestAndItsEnd() {
		assertThat(Outbox.PHASE).isGreaterThan(WebServerApplicationContext.START_STOP_LIFECYCLE_PHASE)
			.isLessThan(WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE);
		this.runner.run((context) -> {
			assertThat(context.getBean(Outbox.class).getPhase()).isEqualTo(Outbox.PHASE);
			assertThat(context.getBean(Outbox.class).isAutoStartup()).isTrue();
		});
	}

	@Test
	void theNodeSignsOffBeforeItsConnectionsAreClosed() {
		String database = "signing-off";
		EngineFixture.runner(database).withBean(Placing.class).run((context) -> {
			EngineFixture.write(context, "Placed");
			awaitCalls(context.getBean(Placing.class).threads, 1);
			context.close();
			JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(EngineFixture.url(database), "sa", ""));
			assertThat(jdbc.queryForList("SELECT node_id FROM outbox_node")).isEmpty();
			assertThat(jdbc.queryForList("SELECT status FROM outbox_event", Integer.class)).containsExactly(1);
		});
	}

	private static Object standIn(Class<?> port) {
		if (port == ListenerRegistry.class) {
			return new ListenerRegistry();
		}
		if (port == EventSerializer.class) {
			return new NoSerializer();
		}
		if (port == Partitioner.class) {
			return Partitioner.byKey();
		}
		if (port == OutboxBuilder.class) {
			return Outbox.builder();
		}
		return DeadEvents.of("outbox",
				OutboxDatabase.of(new DriverManagerDataSource(EngineFixture.url("dead")),
						SqlDialects.detect(new DriverManagerDataSource(EngineFixture.url("dead"))),
						OutboxSettings.defaults().outbox()),
				() -> {
				});
	}

	private static AsyncTaskExecutor executor(String prefix, int workers) {
		SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor(prefix);
		executor.setConcurrencyLimit(workers);
		return executor;
	}

	private static Set<String> beans(ApplicationContext context) {
		return new TreeSet<>(Arrays.asList(context.getBeanDefinitionNames()));
	}

	private static List<String> ours(ApplicationContext context) {
		return beans(context).stream()
			.filter((name) -> String.valueOf(context.getType(name)).contains("dev.outbox"))
			.toList();
	}

	private static boolean isVirtual(Thread thread) throws ReflectiveOperationException {
		return Runtime.version().feature() >= 21 && (Boolean) Thread.class.getMethod("isVirtual").invoke(thread);
	}

	private static void awaitCalls(Queue<?> calls, int count) {
		await().atMost(Duration.ofSeconds(30)).until(() -> calls.size() >= count);
	}

	/**
	 * Remembers on which threads it was called.
	 */
	static class Placing {

		final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

		@OutboxListener("Placed")
		void on(EventEnvelope event) {
			this.threads.add(Thread.currentThread());
		}

	}

	static class Failing {

		@OutboxListener("Placed")
		void on(EventEnvelope event) {
			throw new IllegalStateException("as always");
		}

	}

	@Order(1)
	static class First extends Named {

		First(Queue<String> calls) {
			super("first", calls);
		}

	}

	@Order(2)
	static class Second extends Named {

		Second(Queue<String> calls) {
			super("second", calls);
		}

	}

	static class Named implements EventInterceptor {

		private final String name;

		private final Queue<String> calls;

		Named(String name, Queue<String> calls) {
			this.name = name;
			this.calls = calls;
		}

		@Override
		public void beforeDispatch(EventEnvelope event) {
			this.calls.add("before " + this.name);
		}

		@Override
		public void afterDispatch(EventEnvelope event, @Nullable Throwable error) {
			this.calls.add("after " + this.name);
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
	@EnableScheduling
	static class Scheduling {

	}

}
