package dev.outbox.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import dev.outbox.listener.Delivery;
import dev.outbox.listener.DeliveryResult;
import dev.outbox.listener.ListenerSettings;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * No listener is called any more for an event that has been taken away meanwhile.
 */
class LeaseDuringDeliveryTests {

	private static final int PLACES = 5;

	private static final List<DeliveryResult> DONE = List.of(new DeliveryResult.Done());

	private final DispatchFixture node = DispatchFixture.on(TestDatabase.H2, "dispatch.workers=1",
			"dispatch.hot-queue=" + PLACES);

	private final List<String> calls = new CopyOnWriteArrayList<>();

	@AfterEach
	void close() {
		this.node.close();
	}

	@Test
	void whenTheLeaseIsLostDuringOneListenersCallTheNextListenerIsNotCalled() {
		this.node.listeners.register(new FakeListener("a", ListenerSettings.DEFAULTS, (deliveries) -> {
			called("a", deliveries);
			dieAndComeBack();
			return CompletableFuture.completedFuture(DONE);
		}));
		this.node.listeners.register(new FakeListener("b", ListenerSettings.DEFAULTS, (deliveries) -> {
			called("b", deliveries);
			return CompletableFuture.completedFuture(DONE);
		}));
		this.node.dispatcher.start();
		write(1);
		await().until(() -> !this.calls.isEmpty() && this.node.dispatcher.inFlight() == 0);
		assertThat(this.calls).containsExactly("a");
	}

	@Test
	void whenTheLeaseIsLostWhileAnEventWaitsForAPlaceItIsDropped() {
		AtomicReference<CompletableFuture<List<DeliveryResult>>> answer = new AtomicReference<>();
		ListenerSettings oneInFlight = new ListenerSettings(null, null, null, null, List.of(), false, 100,
				Duration.ZERO, 1);
		this.node.listeners.register(new FakeListener("a", oneInFlight, (deliveries) -> {
			called("a", deliveries);
			answer.set(new CompletableFuture<>());
			return answer.get();
		}));
		this.node.dispatcher.start();
		write(2);
		await()
			.until(() -> answer.get() != null && this.node.freePlaces() == PLACES - 1 && this.node.areWorkersWaiting());
		dieAndComeBack();
		answer.get().complete(DONE);
		await().until(() -> this.node.dispatcher.inFlight() == 0);
		assertThat(this.calls).containsExactly("a");
		assertThat(this.node.freePlaces()).isEqualTo(PLACES);
	}

	private void called(String listener, List<Delivery> deliveries) {
		deliveries.forEach((delivery) -> this.calls.add(listener));
	}

	private void write(int count) {
		this.node.transactions.executeWithoutResult((status) -> {
			for (int i = 0; i < count; i++) {
				this.node.writer.write("thing.happened", "{}");
			}
		});
	}

	private void dieAndComeBack() {
		this.node.outbox.jdbc.update("UPDATE outbox_node SET dead_at = 1");
		this.node.membership.beat();
	}

}
