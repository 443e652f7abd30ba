package dev.outbox.serialize;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.outbox.EventEnvelope;
import dev.outbox.EventPayload;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import org.junit.jupiter.api.Test;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link EventTypes}.
 */
class EventTypesTests {

	private final EventTypes types = new EventTypes(List.of());

	@Test
	void nameIsThatOfTheClassByDefault() {
		assertThat(nameOf(Plain.class)).isEqualTo("Plain");
	}

	@Test
	void nameCanBeGivenAsValueOrAsType() {
		assertThat(nameOf(ByValue.class)).isEqualTo("by.value");
		assertThat(nameOf(ByType.class)).isEqualTo("by.type");
	}

	@Test
	void nameCanComeFromAnAnnotationOfTheApplication() {
		EventEnvelope event = envelope(new Composed("4711"));
		assertThat(event.eventType()).isEqualTo("composed");
		assertThat(event.aggregateType()).isEqualTo("Order");
		assertThat(event.aggregateId()).isEqualTo("4711");
	}

	@Test
	void classWithoutAnnotationIsNoEvent() {
		assertThat(this.types.describe(String.class)).isNull();
		assertThat(this.types.describe(Object.class)).isNull();
		assertThat(this.types.describe(Runnable.class)).isNull();
	}

	@Test
	void subclassCountsAsTheAnnotatedClass() {
		EventDescriptor descriptor = this.types.describe(Derived.class);
		assertThat(descriptor).isSameAs(this.types.describe(Base.class));
		assertThat(descriptor.eventClass()).isEqualTo(Base.class);
		assertThat(this.types.named("Base")).isSameAs(descriptor);
		assertThat(this.types.describe(new Base() {
		}.getClass())).isSameAs(descriptor);
	}

	@Test
	void subclassWithAnnotationIsATypeOfItsOwn() {
		assertThat(nameOf(Base.class)).isEqualTo("Base");
		assertThat(nameOf(OwnDerived.class)).isEqualTo("OwnDerived");
	}

	@Test
	void proxyCountsAsTheAnnotatedClass() {
		ProxyFactory factory = new ProxyFactory(new Base());
		factory.setProxyTargetClass(true);
		Object proxy = factory.getProxy();
		assertThat(proxy.getClass()).isNotEqualTo(Base.class);
		assertThat(this.types.describe(proxy.getClass()).eventClass()).isEqualTo(Base.class);
		assertThat(envelope(proxy).aggregateId()).isEqualTo("base");
	}

	@Test
	void aggregateAndKeyAreLeftOutByDefault() {
		EventEnvelope event = envelope(new Plain());
		assertThat(event.aggregateType()).isEqualTo("__GLOBAL__");
		assertThat(event.aggregateId()).isNull();
		assertThat(event.key()).isNull();
	}

	@Test
	void keyIsTheAggregateIdUnlessItHasAPath() {
		EventEnvelope event = envelope(new Keyed("4711", "customer"));
		assertThat(event.aggregateId()).isEqualTo("4711");
		assertThat(event.key()).isEqualTo("customer");
		assertThat(envelope(new Composed("4711")).key()).isEqualTo("4711");
	}

	@Test
	void keyPathThatLeadsToNothingMeansNoKey() {
		assertThat(envelope(new Keyed("4711", null)).key()).isNull();
	}

	@Test
	void payloadIsTakenAsItIs() {
		EventPayload payload = EventPayload.bytes(new byte[] { 1 });
		assertThat(this.types.describe(Plain.class).envelope(new Plain(), payload).payload()).isSameAs(payload);
	}

	@Test
	void propertyMayBeARecordComponentAGetterOrAField() {
		assertThat(envelope(new PrivateRecord("component")).aggregateId()).isEqualTo("component");
		assertThat(envelope(new WithGetter()).aggregateId()).isEqualTo("getter");
		assertThat(envelope(new WithBooleanGetter()).aggregateId()).isEqualTo("true");
		assertThat(envelope(new WithPrivateField()).aggregateId()).isEqualTo("field");
		assertThat(envelope(new InheritsField()).aggregateId()).isEqualTo("field");
		assertThat(envelope(new PackagePrivateRecord(42L)).aggregateId()).isEqualTo("42");
		assertThat(envelope(new InheritsFromInterface()).aggregateId()).isEqualTo("default");
	}

	@Test
	void propertyMayBeAPath() {
		UUID id = UUID.randomUUID();
		assertThat(envelope(new Nested(new Order(new OrderId(id)))).aggregateId()).isEqualTo(id.toString());
	}

	@Test
	void nullOnThePathMeansNone() {
		assertThat(envelope(new Nested(null)).aggregateId()).isNull();
		assertThat(envelope(new Nested(new Order(null))).aggregateId()).isNull();
		assertThat(envelope(new Nested(new Order(new OrderId(null)))).aggregateId()).isNull();
	}

	@Test
	void pathThatLeadsNowhereIsFoundOutAtOnce() {
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> new EventTypes(List.of(WrongPath.class)))
			.withMessageContaining("aggregateId = \"order.nr\"")
			.withMessageContaining(WrongPath.class.getName())
			.withMessageContaining(Order.class.getName() + " has no property 'nr'");
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> new EventTypes(List.of(WrongKey.class)))
			.withMessageContaining("key = \"customer\"")
			.withMessageContaining("has no property 'customer'");
	}

	@Test
	void staticMembersAndMethodsWithoutResultAreNoProperties() {
		assertThatExceptionOfType(IllegalStateException.class)
			.isThrownBy(() -> new EventTypes(List.of(WithStatics.class)))
			.withMessageContaining("has no property 'id'");
	}

	@Test
	void namesThatCannotBeStoredAreFoundOutAtOnce() {
		assertThatExceptionOfType(InvalidEventException.class).isThrownBy(() -> new EventTypes(List.of(BadName.class)))
			.withMessageContaining("eventType");
	}

	@Test
	void aggregateTypesThatCannotBeStoredAreFoundOutAtOnce() {
		assertThatExceptionOfType(InvalidEventException.class)
			.isThrownBy(() -> new EventTypes(List.of(BadAggregateType.class)))
			.withMessageContaining("aggregateType");
	}

	@Test
	void twoClassesWithOneNameAreRefused() {
		assertThatExceptionOfType(DuplicateEventTypeException.class)
			.isThrownBy(() -> new EventTypes(List.of(ByValue.class, SameName.class)))
			.withMessageContaining("'by.value'")
			.withMessageContaining(ByValue.class.getName())
			.withMessageContaining(SameName.class.getName());
	}

	@Test
	void secondClassWithOneNameIsRefusedAlsoLaterAndEachTime() {
		this.types.describe(ByValue.class);
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(DuplicateEventTypeException.class)
				.isThrownBy(() -> this.types.describe(SameName.class));
		}
		assertThat(this.types.named("by.value").eventClass()).isEqualTo(ByValue.class);
	}

	@Test
	void oneClassMayBeGivenTwice() {
		EventTypes twice = new EventTypes(List.of(ByValue.class, ByValue.class));
		assertThat(twice.named("by.value").eventClass()).isEqualTo(ByValue.class);
	}

	@Test
	void namesAreKnownFromTheStartOrFromTheFirstUseOn() {
		assertThat(new EventTypes(List.of(Plain.class)).named("Plain").eventClass()).isEqualTo(Plain.class);
		assertThat(this.types.named("Plain")).isNull();
		this.types.describe(Plain.class);
		assertThat(this.types.named("Plain").eventClass()).isEqualTo(Plain.class);
		assertThat(this.types.named(Plain.class.getName())).isNull();
	}

	@Test
	void threadsThatMeetAtTheFirstUseGetOneDescriptor() throws Exception {
		int threads = 8;
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			for (int round = 0; round < 200; round++) {
				EventTypes shared = new EventTypes(List.of());
				CyclicBarrier start = new CyclicBarrier(threads);
				Callable<EventDescriptor> work = () -> {
					start.await();
					return shared.describe(Derived.class);
				};
				List<Future<EventDescriptor>> results = new ArrayList<>();
				for (int i = 0; i < threads; i++) {
					results.add(executor.submit(work));
				}
				for (Future<EventDescriptor> result : results) {
					assertThat(result.get()).isSameAs(shared.named("Base"));
				}
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

	private String nameOf(Class<?> type) {
		return this.types.describe(type).eventType();
	}

	private EventEnvelope envelope(Object event) {
		return this.types.describe(event.getClass()).envelope(event, EventPayload.text("{}"));
	}

	@OutboxEvent
	static class Plain {

	}

	@OutboxEvent("by.value")
	static class ByValue {

	}

	@OutboxEvent("by.value")
	static class SameName {

	}

	@OutboxEvent(type = "by.type")
	static class ByType {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Target(ElementType.TYPE)
	@OutboxEvent(aggregateType = "Order", aggregateId = "orderId")
	@interface OrderEvent {

		@AliasFor(annotation = OutboxEvent.class, attribute = "type")
		String value();

	}

	@OrderEvent("composed")
	record Composed(String orderId) {

	}

	@OutboxEvent(aggregateId = "id")
	static class Base {

		String getId() {
			return "base";
		}

	}

	static class Derived extends Base {

	}

	@OutboxEvent
	static class OwnDerived extends Base {

	}

	@OutboxEvent(aggregateId = "id", key = "customer")
	record Keyed(String id, String customer) {

	}

	@OutboxEvent(aggregateId = "id")
	private record PrivateRecord(String id) {

	}

	@OutboxEvent(aggregateId = "id")
	record PackagePrivateRecord(long id) {

	}

	@OutboxEvent(aggregateId = "id")
	static class WithGetter {

		private String id = "not the getter";

		private String getId() {
			return this.id.replace("not the ", "");
		}

	}

	@OutboxEvent(aggregateId = "paid")
	static class WithBooleanGetter {

		public boolean isPaid() {
			return true;
		}

	}

	@OutboxEvent(aggregateId = "id")
	static class WithPrivateField {

		@SuppressWarnings("unused")
		private final String id = "field";

	}

	@OutboxEvent(aggregateId = "id")
	static class InheritsField extends WithPrivateField {

	}

	interface HasId {

		default String getId() {
			return "default";
		}

	}

	@OutboxEvent(aggregateId = "id")
	static class InheritsFromInterface implements HasId {

	}

	@OutboxEvent(aggregateId = "order.id.value")
	record Nested(Order order) {

	}

	record Order(OrderId id) {

	}

	record OrderId(UUID value) {

	}

	@OutboxEvent(aggregateId = "order.nr")
	record WrongPath(Order order) {

	}

	@OutboxEvent(key = "customer")
	record WrongKey(Order order) {

	}

	@OutboxEvent(aggregateId = "id")
	static class WithStatics {

		static String id = "static";

		static String getId() {
			return id;
		}

		void id() {
		}

	}

	@OutboxEvent("a\nb")
	static class BadName {

	}

	@OutboxEvent(aggregateType = "a\nb")
	static class BadAggregateType {

	}

}
