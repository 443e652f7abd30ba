package dev.outbox.engine;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that an outage of what a listener depends on is not held against its events.
 */
@EachDatabase
class BreakerIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int EVENTS = 60;

	private static final int BUDGET = 2;

	private static final int WORKERS = 3;

	private static final int FAILURES = 6;

	private final OutboxNodes nodes;

	private final Outbox node;

	private final Map<String, Integer> delivered = new ConcurrentHashMap<>();

	private final Map<String, Integer> failed = new ConcurrentHashMap<>();

	private final AtomicInteger running = new AtomicInteger();

	private final AtomicInteger mostProbes = new AtomicInteger();

	private volatile boolean broken = true;

	private volatile boolean open;

	BreakerIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
		this.node = node(BUDGET);
	}

	private Outbox node(int maxAttempts) {
		Outbox built = this.nodes.node("dispatch.workers=" + WORKERS, "breaker.failures=" + FAILURES,
				"breaker.events=3", "breaker.probe-interval=20ms", "retry.max-attempts=" + maxAttempts,
				"retry.initial-delay=20ms", "retry.max-delay=20ms", "poll.floor=5ms", "poll.interval=20ms");
		built.listeners().register("thing.happened", (event) -> {
			int now = this.running.incrementAndGet();
			try {
				if (this.open) {
					this.mostProbes.accumulateAndGet(now, Math::max);
				}
				if (this.broken) {
					this.failed.merge(event.eventId(), 1, Integer::sum);
					throw new IllegalStateException("out of reach");
				}
				this.delivered.merge(event.eventId(), 1, Integer::sum);
			}
			finally {
				this.running.decrementAndGet();
			}
		});
		built.listeners().register("other", (event) -> this.delivered.merge(event.eventId(), 1, Integer::sum));
		return built;
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void eventsWaitUncountedWhileTheirListenerIsOutAndAreDeliveredOnceItIsBack() {
		this.node.start();
		this.nodes.write(this.node, EVENTS, "thing.happened");
		await().atMost(PATIENCE)
			.until(() -> calls() > FAILURES && this.running.get() == 0 && this.nodes.count("owner IS NOT NULL") == 0);
		this.open = true;
		int before = calls();
		await().atMost(PATIENCE).until(() -> calls() >= before + 10 * BUDGET);
		assertThat(this.nodes.count("status = 3")).isZero();
		assertThat(attempts()).as("only what failed until it opened counts").isBetween(FAILURES, FAILURES + WORKERS);
		assertThat(this.mostProbes).as("probes are single").hasValue(1);
		assertThat(this.nodes.count("status IN (0, 2)")).isEqualTo(EVENTS);
		this.nodes.write(this.node, 5, "other");
		await().atMost(PATIENCE).until(() -> this.delivered.size() == 5);
		assertThat(this.nodes.count("owner IS NOT NULL AND event_type = 'thing.happened'"))
			.as("all but a probe wait unclaimed")
			.isLessThanOrEqualTo(2);
		this.broken = false;
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == EVENTS + 5);
		assertThat(this.delivered).hasSize(EVENTS + 5).allSatisfy((id, count) -> assertThat(count).isOne());
	}

	@Test
	void eventsThatAreWrittenMeanwhileWaitUnclaimed() {
		this.node.start();
		this.nodes.write(this.node, EVENTS, "thing.happened");
		await().atMost(PATIENCE).until(() -> calls() > 2 * FAILURES);
		long hot = hotEnqueued();
		this.nodes.write(this.node, EVENTS, "thing.happened");
		assertThat(hotEnqueued()).isEqualTo(hot);
		this.broken = false;
		await().atMost(PATIENCE).until(() -> this.nodes.count("status = 1 AND owner IS NULL") == 2 * EVENTS);
		this.nodes.write(this.node, 1, "thing.happened");
		assertThat(hotEnqueued()).as("afterwards everything is as before").isEqualTo(hot + 1);
	}

	@Test
	void aPoisonousEventAloneIsGivenUpAndPausesNothing() {
		int attempts = 2 * FAILURES;
		Outbox stubborn = node(attempts);
		stubborn.start();
		for (int poisonous = 1; poisonous <= 2; poisonous++) {
			int dead = poisonous;
			this.nodes.write(stubborn, 1, "thing.happened");
			await().atMost(PATIENCE).until(() -> this.nodes.count("status = 3 AND attempts = " + attempts) == dead);
		}
		assertThat(calls()).as("no attempt was a probe").isEqualTo(2 * attempts);
		this.broken = false;
		this.nodes.write(stubborn, 1, "thing.happened");
		assertThat(stubborn.statistics()).isNotNull();
		assertThat(stubborn.statistics().hotEnqueued()).isEqualTo(3);
	}

	private int calls() {
		return this.failed.values().stream().mapToInt(Integer::intValue).sum();
	}

	private int attempts() {
		Integer sum = this.nodes.jdbc().queryForObject("SELECT SUM(attempts) FROM outbox_event", Integer.class);
		return (sum != null) ? sum : 0;
	}

	private long hotEnqueued() {
		return (this.node.statistics() != null) ? this.node.statistics().hotEnqueued() : -1;
	}

}
