package dev.outbox.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

import dev.outbox.AggregateType;
import dev.outbox.EventEnvelope;
import dev.outbox.EventListener;
import dev.outbox.EventType;
import dev.outbox.RetryAfterException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static dev.outbox.listener.ListenerFixture.call;
import static dev.outbox.listener.ListenerFixture.cause;
import static dev.outbox.listener.ListenerFixture.deliveries;
import static dev.outbox.listener.ListenerFixture.done;
import static dev.outbox.listener.ListenerFixture.placed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link ListenerRegistry}.
 */
class ListenerRegistryTests {

	private static final EventListener NOTHING = (event) -> {
	};

	private final ListenerRegistry registry = new ListenerRegistry();

	@Test
	void listenerWithoutAggregateTypeTakesAny() {
		this.registry.register("OrderPlaced", NOTHING);
		assertThat(ids("Order", "OrderPlaced")).containsExactly("OrderPlaced");
		assertThat(ids(AggregateType.GLOBAL.name(), "OrderPlaced")).containsExactly("OrderPlaced");
		assertThat(ids("Order", "OrderCancelled")).isEmpty();
	}

	@Test
	void exactMatchWinsOverAnyAggregateType() {
		this.registry.register("OrderPlaced", NOTHING);
		this.registry.register("Order", "OrderPlaced", NOTHING);
		assertThat(ids("Order", "OrderPlaced")).containsExactly("Order:OrderPlaced");
		assertThat(ids("Basket", "OrderPlaced")).containsExactly("OrderPlaced");
	}

	@Test
	void exactMatchWinsOverAnyAggregateTypeEvenIfBothHaveIds() {
		this.registry.register(endpoint("mail", true, new Subscription(null, "OrderPlaced")));
		this.registry.register(endpoint("stock", true, new Subscription(null, "OrderPlaced")));
		this.registry.register(endpoint("ledger", true, new Subscription("Order", "OrderPlaced")));
		this.registry.register(endpoint("audit", true, new Subscription("Order", "OrderPlaced")));
		assertThat(ids("Order", "OrderPlaced")).containsExactly("ledger", "audit");
		assertThat(ids("Basket", "OrderPlaced")).containsExactly("mail", "stock");
	}

	@Test
	void takesTypesThatAreEnums() {
		this.registry.register(Aggregates.Order, Events.OrderPlaced, NOTHING);
		assertThat(ids("Order", "OrderPlaced")).containsExactly("Order:OrderPlaced");
		assertThat(ids("Basket", "OrderPlaced")).isEmpty();
	}

	@Test
	void refusesSecondListenerForTheSameEvents() {
		this.registry.register("OrderPlaced", NOTHING);
		this.registry.register("Order", "OrderPlaced", NOTHING);
		assertThatExceptionOfType(DuplicateListenerException.class)
			.isThrownBy(() -> this.registry.register("OrderPlaced", NOTHING))
			.withMessageContaining("take the same events, OrderPlaced");
		assertThatExceptionOfType(DuplicateListenerException.class)
			.isThrownBy(() -> this.registry.register("Order", "OrderPlaced", NOTHING))
			.withMessageContaining("take the same events, Order:OrderPlaced");
	}

	@Test
	void refusesSecondListenerUnlessBothHaveIds() {
		Subscription placed = new Subscription(null, "OrderPlaced");
		this.registry.register(endpoint("mail", true, placed));
		assertThatExceptionOfType(DuplicateListenerException.class)
			.isThrownBy(() -> this.registry.register(endpoint("stock.on", false, placed)));
		this.registry.register(endpoint("stock", true, placed));
		assertThat(ids("Order", "OrderPlaced")).containsExactly("mail", "stock");
	}

	@Test
	void refusesSecondListenerWithTheSameId() {
		this.registry.register(endpoint("mail", true, new Subscription(null, "OrderPlaced")));
		assertThatExceptionOfType(DuplicateListenerException.class)
			.isThrownBy(() -> this.registry.register(endpoint("mail", true, new Subscription(null, "OrderPlaced"))))
			.withMessageContaining("the same id, 'mail'");
		assertThatExceptionOfType(DuplicateListenerException.class)
			.isThrownBy(() -> this.registry.register(endpoint("mail", true, new Subscription(null, "Other"))));
	}

	@Test
	void refusedListenerLeavesNothingBehind() {
		this.registry.register("OrderPlaced", NOTHING);
		assertThatExceptionOfType(DuplicateListenerException.class)
			.isThrownBy(() -> this.registry.register(endpoint("orders.on", false,
					new Subscription(null, "OrderCancelled"), new Subscription(null, "OrderPlaced"))));
		assertThat(this.registry.subscriptions()).containsExactly(new Subscription(null, "OrderPlaced"));
		assertThat(this.registry.endpoints()).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "two words", "a/b", "ä", "{}", "new\nline" })
	void refusesIdsThatAreNotPlain(String id) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.registry.register(endpoint(id, true, new Subscription(null, "OrderPlaced"))))
			.withMessageContaining("letters, digits");
	}

	@Test
	void refusesIdsThatAreTooLong() {
		this.registry.register(endpoint("x".repeat(100), true, new Subscription(null, "OrderPlaced")));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.registry.register(endpoint("x".repeat(101), true, new Subscription(null, "Other"))));
	}

	@Test
	void refusesListenersThatListenToNothing() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.register(endpoint("mail", true)));
	}

	@Test
	void makesPlainAndDifferentIdsOfAnyName() {
		assertThat(ListenerId.from("orders.on")).isEqualTo("orders.on");
		assertThat(ListenerId.from("örders.on")).matches("_rders\\.on-[0-9a-f]{8}")
			.isEqualTo(ListenerId.from("örders.on"))
			.isNotEqualTo(ListenerId.from("ärders.on"));
		assertThat(ListenerId.from("x".repeat(101))).hasSize(100).isNotEqualTo(ListenerId.from("x".repeat(102)));
	}

	@Test
	void tellsWhatIsListenedTo() {
		this.registry.register("OrderPlaced", NOTHING);
		this.registry.register("Order", "OrderCancelled", NOTHING);
		assertThat(this.registry.subscriptions()).containsExactly(new Subscription(null, "OrderPlaced"),
				new Subscription("Order", "OrderCancelled"));
		assertThat(this.registry.endpoints()).extracting(ListenerEndpoint::id)
			.containsExactly("OrderPlaced", "Order:OrderCancelled");
	}

	@Test
	void whatItTellsCannotBeChanged() {
		this.registry.register("OrderPlaced", NOTHING);
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> this.registry.subscriptions().clear());
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> this.registry.endpoints().clear());
	}

	@Test
	void takesListenersFromManyThreads() {
		IntStream.range(0, 500).parallel().forEach((i) -> this.registry.register("Event" + i, NOTHING));
		assertThat(this.registry.endpoints()).hasSize(500);
		assertThat(IntStream.range(0, 500)).allSatisfy((i) -> assertThat(ids("Order", "Event" + i)).hasSize(1));
	}

	@Test
	void listenerByHandGetsTheEvent() {
		List<EventEnvelope> seen = new ArrayList<>();
		this.registry.register("OrderPlaced", seen::add);
		assertThat(call(endpoint(), placed("1"))).containsExactly(done());
		assertThat(seen).containsExactly(placed("1").toBuilder().occurredAt(seen.get(0).occurredAt()).build());
		assertThat(endpoint().settings()).isEqualTo(ListenerSettings.DEFAULTS);
		assertThat(endpoint().isBatch()).isFalse();
		assertThat(endpoint().hasOwnId()).isFalse();
	}

	@Test
	void listenerByHandFailsWithWhatItThrows() {
		Error error = new StackOverflowError();
		this.registry.register("OrderPlaced", (event) -> {
			throw error;
		});
		assertThat(cause(call(endpoint(), placed("1")).get(0))).isSameAs(error);
	}

	@Test
	void listenerByHandMayDefer() {
		this.registry.register("OrderPlaced", (event) -> {
			throw new RetryAfterException(Duration.ofSeconds(7));
		});
		assertThat(call(endpoint(), placed("1"))).containsExactly(new DeliveryResult.RetryAfter(Duration.ofSeconds(7)));
	}

	@Test
	void listenerByHandTakesOneEventAtATime() {
		this.registry.register("OrderPlaced", NOTHING);
		assertThatIllegalArgumentException().isThrownBy(() -> endpoint().call(deliveries(placed("1"), placed("2"))));
	}

	private ListenerEndpoint endpoint() {
		return this.registry.endpointsFor("Order", "OrderPlaced").get(0);
	}

	private List<String> ids(String aggregateType, String eventType) {
		return this.registry.endpointsFor(aggregateType, eventType).stream().map(ListenerEndpoint::id).toList();
	}

	private static ListenerEndpoint endpoint(String id, boolean ownId, Subscription... subscriptions) {
		return new OtherEndpoint(id, ownId, new LinkedHashSet<>(Arrays.asList(subscriptions)));
	}

	enum Aggregates implements AggregateType {

		Order

	}

	enum Events implements EventType {

		OrderPlaced

	}

	private record OtherEndpoint(String id, boolean hasOwnId,
			Set<Subscription> subscriptions) implements ListenerEndpoint {

		@Override
		public ListenerSettings settings() {
			return ListenerSettings.DEFAULTS;
		}

		@Override
		public boolean isBatch() {
			return false;
		}

		@Override
		public CompletionStage<List<DeliveryResult>> call(List<Delivery> deliveries) {
			return CompletableFuture.completedFuture(List.of());
		}

	}

}
