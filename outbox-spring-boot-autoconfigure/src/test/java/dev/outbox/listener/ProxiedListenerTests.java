package dev.outbox.listener;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.OutboxListener;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static dev.outbox.listener.ListenerFixture.call;
import static dev.outbox.listener.ListenerFixture.cause;
import static dev.outbox.listener.ListenerFixture.deliveries;
import static dev.outbox.listener.ListenerFixture.done;
import static dev.outbox.listener.ListenerFixture.only;
import static dev.outbox.listener.ListenerFixture.placed;
import static dev.outbox.listener.ListenerFixture.runner;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Listeners whose bean is a proxy: the call must go through it, or the start must fail.
 */
class ProxiedListenerTests {

	private static final AtomicInteger intercepted = new AtomicInteger();

	private static final AtomicInteger made = new AtomicInteger();

	private static final List<Object> seen = new ArrayList<>();

	@BeforeEach
	void forget() {
		intercepted.set(0);
		made.set(0);
		seen.clear();
	}

	@Test
	void packagePrivateMethodIsCalledThroughAProxyOfTheClass() {
		classProxy().withBean("orders", PackagePrivate.class, () -> new PackagePrivate("orders")).run((context) -> {
			assertThat(only(context).id()).isEqualTo("orders.on");
			assertThat(call(context, placed("1"))).containsExactly(done());
			assertThat(seen).containsExactly("orders");
			assertThat(intercepted).hasValue(1);
		});
	}

	@Test
	void methodOfAnInterfaceIsCalledThroughAProxyOfTheInterface() {
		interfaceProxy().withBean("orders", Handling.class).run((context) -> {
			assertThat(context.getBean("orders")).isNotInstanceOf(Handling.class);
			assertThat(call(context, placed("1"))).containsExactly(done());
			assertThat(seen).containsExactly(new OrderPlaced("1"));
			assertThat(intercepted).hasValue(1);
		});
	}

	@Test
	void whatAnInterfaceDoesNotDeclareIsTheCauseAllTheSame() {
		interfaceProxy().withBean("orders", Throwing.class)
			.run((context) -> assertThat(cause(call(context, placed("1")).get(0))).isInstanceOf(Exception.class)
				.hasMessage("checked"));
	}

	@Test
	void startFailsIfAProxyOfAnInterfaceDoesNotHaveTheMethod() {
		interfaceProxy().withBean("orders", NotInInterface.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(InvalidListenerException.class, (ex) -> {
					assertThat(ex).hasMessageContaining("NotInInterface.on(OrderPlaced)")
						.hasMessageContaining("the bean 'orders' is a proxy that does not have this method");
					assertThat(ex.action()).contains("proxyTargetClass");
				}));
	}

	@Test
	void callFailsIfTheProxyOfALazyBeanDoesNotHaveTheMethod() {
		interfaceProxy()
			.withBean("orders", NotInInterface.class, NotInInterface::new, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertThat(cause(call(context, placed("1")).get(0)))
				.isInstanceOf(InvalidListenerException.class));
	}

	@Test
	void startFailsIfTheMethodIsFinalAndTheBeanAProxyOfItsClass() {
		classProxy().withBean("orders", FinalMethod.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidListenerException.class)
				.hasMessageContaining("it is final"));
	}

	@Test
	void finalMethodIsNoProblemWithoutAProxy() {
		runner().withBean("orders", FinalMethod.class)
			.run((context) -> assertThat(call(context, placed("1"))).containsExactly(done()));
	}

	@Test
	void lazyBeanIsCalledThroughItsProxy() {
		classProxy()
			.withBean("orders", PackagePrivate.class, () -> new PackagePrivate("lazy"),
					(definition) -> definition.setLazyInit(true))
			.run((context) -> {
				assertThat(made).hasValue(0);
				assertThat(call(context, placed("1"))).containsExactly(done());
				assertThat(seen).containsExactly("lazy");
				assertThat(intercepted).hasValue(1);
			});
	}

	@Test
	void methodsBehindAProxyMadeByHandAreFound() {
		runner().withUserConfiguration(HandMadeProxy.class).run((context) -> {
			assertThat(call(context, placed("1"))).containsExactly(done());
			assertThat(seen).containsExactly(new OrderPlaced("1"));
			assertThat(intercepted).hasValue(1);
		});
	}

	@Test
	void scopedBeanIsCalledThroughItsScopedProxy() {
		runner().withUserConfiguration(ScopedProxies.class).run((context) -> {
			assertThat(made).hasValue(0);
			assertThat(only(context).id()).isEqualTo("orders.on");
			call(context, placed("1"));
			call(context, placed("2"));
			assertThat(seen).containsExactly("scoped", "scoped");
		});
	}

	@Test
	void scopedBeanIsCalledThroughAScopedProxyOfItsInterface() {
		runner().withUserConfiguration(ScopedInterfaceProxies.class).run((context) -> {
			assertThat(context.getBean("orders")).isNotInstanceOf(Handling.class);
			assertThat(only(context).id()).isEqualTo("orders.on");
			assertThat(call(context, placed("1"))).containsExactly(done());
			assertThat(seen).containsExactly(new OrderPlaced("1"));
		});
	}

	@Test
	void scopedBeanIsFoundWhenAllBeansAreLazy() {
		runner().withUserConfiguration(ScopedProxies.class)
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> {
				assertThat(only(context).id()).isEqualTo("orders.on");
				assertThat(made).hasValue(0);
				assertThat(call(context, placed("1"))).containsExactly(done());
			});
	}

	@Test
	void asynchronousMethodMayRunOnAnotherThreadOfSpring() {
		runner().withUserConfiguration(AsyncSupport.class).withBean("orders", OnAnotherThread.class).run((context) -> {
			assertThat(only(context).call(deliveries(placed("1"))).toCompletableFuture().join())
				.containsExactly(done());
			assertThat(seen).hasSize(1).doesNotContain(Thread.currentThread());
		});
	}

	private static ApplicationContextRunner classProxy() {
		return runner().withUserConfiguration(ClassProxies.class);
	}

	private static ApplicationContextRunner interfaceProxy() {
		return runner().withUserConfiguration(InterfaceProxies.class);
	}

	private static MethodInterceptor interceptor() {
		return (invocation) -> {
			intercepted.incrementAndGet();
			return invocation.proceed();
		};
	}

	static class PackagePrivate {

		private final String name;

		PackagePrivate(String name) {
			this.name = name;
			made.incrementAndGet();
		}

		@OutboxListener
		void on(OrderPlaced event) {
			seen.add(this.name);
		}

	}

	interface Handler {

		void on(OrderPlaced event);

	}

	static class Handling implements Handler {

		@Override
		@OutboxListener
		public void on(OrderPlaced event) {
			seen.add(event);
		}

	}

	static class Throwing implements Handler {

		@Override
		@OutboxListener
		public void on(OrderPlaced event) {
			ProxiedListenerTests.<RuntimeException>sneak(new Exception("checked"));
		}

	}

	@SuppressWarnings("unchecked")
	private static <E extends Exception> void sneak(Exception ex) throws E {
		throw (E) ex;
	}

	interface Other {

		void other();

	}

	static class NotInInterface implements Other {

		@Override
		public void other() {
		}

		@OutboxListener
		public void on(OrderPlaced event) {
		}

	}

	static class FinalMethod {

		@OutboxListener
		final void on(OrderPlaced event) {
		}

	}

	static class OnAnotherThread {

		@OutboxListener
		@Async
		CompletableFuture<@Nullable Void> on(OrderPlaced event) {
			seen.add(Thread.currentThread());
			return CompletableFuture.completedFuture(null);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class AsyncSupport {

	}

	@Configuration(proxyBeanMethods = false)
	static class ClassProxies {

		@Bean
		static BeanNameAutoProxyCreator proxies() {
			BeanNameAutoProxyCreator proxies = new BeanNameAutoProxyCreator();
			proxies.setBeanNames("orders");
			proxies.setInterceptorNames("interceptor");
			proxies.setProxyTargetClass(true);
			return proxies;
		}

		@Bean
		static MethodInterceptor interceptor() {
			return ProxiedListenerTests.interceptor();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InterfaceProxies {

		@Bean
		static BeanNameAutoProxyCreator proxies() {
			BeanNameAutoProxyCreator proxies = new BeanNameAutoProxyCreator();
			proxies.setBeanNames("orders");
			proxies.setInterceptorNames("interceptor");
			return proxies;
		}

		@Bean
		static MethodInterceptor interceptor() {
			return ProxiedListenerTests.interceptor();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class HandMadeProxy {

		@Bean
		Handler orders() {
			ProxyFactory factory = new ProxyFactory(new Handling());
			factory.addAdvice(interceptor());
			return (Handler) factory.getProxy();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedProxies {

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
		PackagePrivate orders() {
			return new PackagePrivate("scoped");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedInterfaceProxies {

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.INTERFACES)
		Handling orders() {
			return new Handling();
		}

	}

}
