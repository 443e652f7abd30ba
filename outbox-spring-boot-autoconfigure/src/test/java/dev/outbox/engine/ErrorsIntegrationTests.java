package dev.outbox.engine;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import dev.outbox.EventEnvelope;
import dev.outbox.EventPayload;
import dev.outbox.OutboxListener;
import dev.outbox.serialize.EventSerializer;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.Failures;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.support.JdbcTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Whatever is thrown, and wherever: the next event is delivered, and everything keeps
 * going.
 */
@EachDatabase(only = TestDatabase.H2)
class ErrorsIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final List<String> LOOPS = List.of("outbox-poll", "outbox-reaper", "outbox-sweep", "outbox-purge",
			"outbox-heartbeat");

	private final OutboxNodes nodes;

	private final FailingThreads faulty;

	ErrorsIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
		this.faulty = new FailingThreads(this.nodes.dataSource().dataSource());
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void whateverAListenerThrowsItsAttemptFailedAndTheNextEventIsDelivered() {
		Outbox node = node();
		Throwing listener = new Throwing();
		ListenerBeans.register(node, listener);
		node.start();
		this.nodes.write(node, Failures.all().size(), "thrown");
		awaitDone(Failures.all().size());
		assertThat(this.nodes.count("attempts = 1")).isEqualTo(Failures.all().size());
		assertThat(listener.interrupted).isEmpty();
	}

	@Test
	void whateverTheSerializerThrowsItsAttemptFailedAndTheNextEventIsDelivered() {
		Outbox node = node();
		List<Throwable> failures = new ArrayList<>(Failures.all());
		ListenerBeans.register(node, new EventSerializer() {

			@Override
			public EventPayload serialize(Object event) {
				throw new UnsupportedOperationException();
			}

			@Override
			public synchronized <T> T deserialize(EventPayload payload, Class<T> type) {
				if (!failures.isEmpty()) {
					Failures.<RuntimeException>raise(failures.remove(0));
				}
				return type.cast(new Decoded());
			}

		}, new Throwing());
		node.start();
		this.nodes.write(node, 10, "decoded");
		awaitDone(10);
		assertThat(failures).isEmpty();
		assertThat(this.nodes.jdbc().queryForObject("SELECT SUM(attempts) FROM outbox_event", Integer.class))
			.isEqualTo(Failures.all().size());
	}

	@Test
	void whateverTheDatabaseThrowsEverythingKeepsGoing() {
		Outbox node = node("node.heartbeat=50ms", "node.lease=400ms", "purge.interval=50ms", "poll.interval=50ms");
		ListenerBeans.register(node, new Throwing());
		node.start();
		int written = 0;
		for (Throwable failure : Failures.all()) {
			this.faulty.failOnce(LOOPS, failure);
			this.faulty.failOnce(List.of("outbox-verify", "outbox-outcomes"), failure);
			this.nodes.write(node, 1, "fine");
			written++;
			int done = written;
			await().atMost(PATIENCE)
				.until(() -> this.nodes.count("status = 1 AND owner IS NULL") == done
						&& this.faulty.pending().isEmpty());
		}
		this.faulty.failOnce(LOOPS, new IllegalStateException("each of them turns"));
		await().atMost(PATIENCE).until(() -> this.faulty.pending().isEmpty());
		node.stop();
		assertThat(this.nodes.count("owner IS NOT NULL")).isZero();
	}

	@Test
	void aSuspectThatCannotBeCountedIsPutOffAndNotGivenUp() {
		Outbox node = node();
		ListenerBeans.register(node, new Throwing());
		this.nodes.write(node, 3, "fine");
		this.nodes.jdbc().update("UPDATE outbox_event SET reclaims = 2");
		for (Throwable failure : List.of(new SQLException("out of reach"), new OutOfMemoryError())) {
			this.faulty.failOnce(List.of("outbox-worker"), failure);
			node.start();
			await().atMost(PATIENCE).until(() -> this.faulty.pending().isEmpty());
			node.stop();
		}
		assertThat(this.nodes.count("status = 3")).isZero();
		node.start();
		awaitDone(3);
		assertThat(this.nodes.count("attempts = 1")).as("each attempt is counted before it is made").isEqualTo(3);
	}

	@Test
	void anInterruptThatAListenerLeavesBehindDisturbsNothing() {
		Outbox node = node();
		Throwing listener = new Throwing();
		ListenerBeans.register(node, listener);
		node.start();
		for (String type : List.of("interrupting", "interrupting.transaction", "interrupting.list",
				"interrupting.later", "interrupting.several")) {
			this.nodes.write(node, 3, type);
		}
		awaitDone(15);
		assertThat(this.nodes.count("attempts = 0")).isEqualTo(15);
		assertThat(listener.interrupted).isEmpty();
		assertThat(this.faulty.ofInterruptedThreads()).isEmpty();
	}

	private Outbox node(String... properties) {
		List<String> all = new ArrayList<>(List.of("dispatch.workers=1", "retry.initial-delay=1ms",
				"retry.max-delay=1ms", "poll.floor=5ms", "poll.interval=50ms"));
		all.addAll(List.of(properties));
		return this.nodes.node((builder) -> builder.dataSource(this.faulty)
			.transactionManager(new JdbcTransactionManager(this.faulty)), all.toArray(String[]::new));
	}

	private void awaitDone(int count) {
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == count);
	}

	static class Throwing {

		private final Map<String, Throwable> failures = new ConcurrentHashMap<>();

		private final Set<String> interrupted = ConcurrentHashMap.newKeySet();

		@OutboxListener("thrown")
		void thrown(EventEnvelope event) {
			notInterrupted(event);
			List<Throwable> all = Failures.all();
			if (this.failures.size() < all.size() && !this.failures.containsKey(event.eventId())) {
				Throwable failure = all.get(this.failures.size());
				this.failures.put(event.eventId(), failure);
				Failures.<RuntimeException>raise(failure);
			}
		}

		@OutboxListener("decoded")
		void decoded(Decoded event) {
		}

		@OutboxListener("fine")
		void fine(EventEnvelope event) {
		}

		@OutboxListener("interrupting")
		void interrupting(EventEnvelope event) {
			notInterrupted(event);
			Thread.currentThread().interrupt();
		}

		@OutboxListener(value = "interrupting.transaction", transactional = true)
		void interruptingTransaction(EventEnvelope event) {
			interrupting(event);
		}

		@OutboxListener("interrupting.list")
		void interruptingList(List<EventEnvelope> events) {
			interrupting(events.get(0));
		}

		@OutboxListener("interrupting.later")
		CompletableFuture<Void> interruptingLater(EventEnvelope event) {
			interrupting(event);
			return CompletableFuture.completedFuture(null);
		}

		@OutboxListener(value = "interrupting.several", id = "a")
		void interruptingFirst(EventEnvelope event) {
			interrupting(event);
		}

		@OutboxListener(value = "interrupting.several", id = "b")
		void interruptingSecond(EventEnvelope event) {
			interrupting(event);
		}

		private void notInterrupted(EventEnvelope event) {
			if (Thread.currentThread().isInterrupted()) {
				this.interrupted.add(event.eventId());
			}
		}

	}

	static class Decoded {

	}

}
