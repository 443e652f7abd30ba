package dev.outbox.listener;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

import dev.outbox.EventEnvelope;
import dev.outbox.serialize.OutboxSerializeAutoConfiguration;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications with listeners, and events for them.
 */
final class ListenerFixture {

	private ListenerFixture() {
	}

	static ApplicationContextRunner runner() {
		return new ApplicationContextRunner().withConfiguration(
				AutoConfigurations.of(OutboxSerializeAutoConfiguration.class, OutboxListenerAutoConfiguration.class));
	}

	/**
	 * Run an application that has one listener bean named {@code orders}.
	 */
	static <T> void with(Class<T> type, Consumer<AssertableApplicationContext> test) {
		runner().withBean("orders", type).run((context) -> {
			assertThat(context).hasNotFailed();
			test.accept(context);
		});
	}

	/**
	 * Call the only listener of an application.
	 */
	static List<DeliveryResult> call(AssertableApplicationContext context, EventEnvelope... events) {
		return call(only(context), events);
	}

	static List<DeliveryResult> call(ListenerEndpoint endpoint, EventEnvelope... events) {
		return endpoint.call(deliveries(events)).toCompletableFuture().getNow(List.of());
	}

	static List<Delivery> deliveries(EventEnvelope... events) {
		return Arrays.stream(events).map((event) -> new Delivery(event, 3)).toList();
	}

	static ListenerEndpoint only(AssertableApplicationContext context) {
		assertThat(registry(context).endpoints()).hasSize(1);
		return registry(context).endpoints().iterator().next();
	}

	static ListenerRegistry registry(AssertableApplicationContext context) {
		return context.getBean(ListenerRegistry.class);
	}

	static EventEnvelope placed(String orderId) {
		return EventEnvelope.builder("OrderPlaced")
			.eventId(orderId)
			.aggregateType("Order")
			.header("who", "me")
			.payloadJson("{\"orderId\":\"" + orderId + "\"}")
			.build();
	}

	static EventEnvelope unreadable(String eventId) {
		return placed(eventId).toBuilder().payloadJson("no JSON").build();
	}

	static DeliveryResult done() {
		return new DeliveryResult.Done();
	}

	static @Nullable Throwable cause(DeliveryResult result) {
		assertThat(result).isInstanceOf(DeliveryResult.Failed.class);
		return ((DeliveryResult.Failed) result).cause();
	}

}
