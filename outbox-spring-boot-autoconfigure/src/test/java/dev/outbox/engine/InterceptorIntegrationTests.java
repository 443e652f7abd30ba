package dev.outbox.engine;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.outbox.EventEnvelope;
import dev.outbox.EventInterceptor;
import dev.outbox.store.EventRecord;
import dev.outbox.store.EventStatus;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what goes along with each delivery.
 */
@EachDatabase
class InterceptorIntegrationTests {

	private final OutboxNodes nodes;

	private final Queue<String> calls = new ConcurrentLinkedQueue<>();

	InterceptorIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void interceptorsAreCalledInOrderBeforeAndInReverseOrderAfter() {
		Outbox node = start(false, new Noting("one"), new Noting("two"));
		deliver(node, EventStatus.DONE);
		assertThat(List.copyOf(this.calls)).containsExactly("before one", "before two", "listener", "after two",
				"after one");
	}

	@Test
	void interceptorsAreToldWhatTheListenerThrew() {
		Outbox node = start(true, new Noting("one"));
		deliver(node, EventStatus.DEAD);
		assertThat(List.copyOf(this.calls)).containsExactly("before one", "listener",
				"after one: java.lang.IllegalStateException: listener");
	}

	@Test
	void oneThatThrowsBeforeFailsTheAttempt() {
		Outbox node = start(false, new Noting("one"), EventInterceptor.before((event) -> {
			throw new IllegalStateException("not now");
		}), new Noting("three"));
		EventRecord row = deliver(node, EventStatus.DEAD);
		assertThat(row.attempts()).isEqualTo(1);
		assertThat(row.lastError()).contains("not now");
		assertThat(this.calls).contains("before one").doesNotContain("listener", "before three");
		assertThat(this.calls).contains("after one: java.lang.IllegalStateException: not now");
	}

	@Test
	void oneThatThrowsAfterChangesNothing() {
		Outbox node = start(false, new Noting("one"), EventInterceptor.after((event, error) -> {
			throw new IllegalStateException("too late");
		}));
		EventRecord row = deliver(node, EventStatus.DONE);
		assertThat(row.attempts()).isZero();
		assertThat(row.lastError()).isNull();
		assertThat(List.copyOf(this.calls)).containsExactly("before one", "listener", "after one");
	}

	/**
	 * An outcome is recorded after the last interceptor was called.
	 */
	private EventRecord deliver(Outbox node, EventStatus status) {
		Rows rows = new Rows(this.nodes, node);
		return rows.await(rows.write(node, "Placed"), status);
	}

	private Outbox start(boolean failing, EventInterceptor... interceptors) {
		Outbox node = this.nodes.node((builder) -> builder.interceptors(List.of(interceptors)), "retry.max-attempts=1");
		node.listeners().register("Placed", (event) -> {
			this.calls.add("listener");
			if (failing) {
				throw new IllegalStateException("listener");
			}
		});
		node.start();
		return node;
	}

	/**
	 * Notes that it was called.
	 */
	private final class Noting implements EventInterceptor {

		private final String name;

		Noting(String name) {
			this.name = name;
		}

		@Override
		public void beforeDispatch(EventEnvelope event) {
			InterceptorIntegrationTests.this.calls.add("before " + this.name);
		}

		@Override
		public void afterDispatch(EventEnvelope event, @Nullable Throwable error) {
			InterceptorIntegrationTests.this.calls.add("after " + this.name + ((error != null) ? ": " + error : ""));
		}

	}

}
