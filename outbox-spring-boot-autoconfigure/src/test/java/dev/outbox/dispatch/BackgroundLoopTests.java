package dev.outbox.dispatch;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import dev.outbox.testsupport.Failures;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.greaterThan;

/**
 * Tests for {@link BackgroundLoop}.
 */
@Timeout(60)
class BackgroundLoopTests {

	private static final Duration LONG = Duration.ofHours(1);

	private final AtomicInteger turns = new AtomicInteger();

	private BackgroundLoop loop = loop(() -> LONG);

	private BackgroundLoop loop(BackgroundLoop.Duty duty) {
		this.loop = new BackgroundLoop("outbox", "duty", Duration.ofMillis(1), () -> {
			this.turns.incrementAndGet();
			return duty.runOnce();
		});
		return this.loop;
	}

	@AfterEach
	void stop() {
		this.loop.stop(Duration.ofSeconds(5));
	}

	@ParameterizedTest
	@MethodSource("dev.outbox.testsupport.Failures#all")
	void whateverATurnThrowsTheNextOneComes(Throwable failure) {
		loop(() -> {
			if (this.turns.get() % 2 == 1) {
				Failures.<Exception>raise(failure);
			}
			return Duration.ZERO;
		}).start();
		await().untilAtomic(this.turns, greaterThan(10));
	}

	@Test
	void aTurnThatLeavesItsThreadInterruptedIsFollowedByOthers() {
		loop(() -> {
			Thread.currentThread().interrupt();
			return Duration.ZERO;
		}).start();
		await().untilAtomic(this.turns, greaterThan(10));
	}

	@Test
	void itWaitsAsLongAsTheDutySaysUnlessItIsWoken() {
		loop(() -> LONG).start();
		awaitTurns(1);
		this.loop.wake();
		awaitTurns(2);
		this.loop.wakeIn(Duration.ofMillis(1));
		awaitTurns(3);
		this.loop.wakeIn(Duration.ofHours(2));
		assertThat(this.turns).hasValue(3);
	}

	@Test
	void aWakeDuringATurnIsNotForgotten() throws InterruptedException {
		CountDownLatch inTurn = new CountDownLatch(1);
		CountDownLatch woken = new CountDownLatch(1);
		loop(() -> {
			inTurn.countDown();
			woken.await();
			return LONG;
		}).start();
		inTurn.await();
		this.loop.wake();
		woken.countDown();
		awaitTurns(2);
	}

	@Test
	void aWakeInAWhileDuringATurnIsNotForgotten() throws InterruptedException {
		CountDownLatch inTurn = new CountDownLatch(1);
		CountDownLatch woken = new CountDownLatch(1);
		loop(() -> {
			inTurn.countDown();
			woken.await();
			return LONG;
		}).start();
		inTurn.await();
		this.loop.wakeIn(Duration.ofMillis(1));
		woken.countDown();
		awaitTurns(2);
	}

	@Test
	void aStoppedLoopTakesNoMoreTurnsAndCanBeStartedAgain() {
		loop(() -> LONG).start();
		awaitTurns(1);
		this.loop.stop(Duration.ofSeconds(30));
		this.loop.wake();
		assertThat(this.turns).hasValue(1);
		this.loop.start();
		awaitTurns(2);
	}

	@Test
	void aTurnThatDoesNotEndIsInterruptedWhenTheLoopStops() {
		AtomicBoolean interrupted = new AtomicBoolean();
		loop(() -> {
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				interrupted.set(true);
			}
			return LONG;
		}).start();
		awaitTurns(1);
		this.loop.stop(Duration.ofMillis(1));
		await().untilTrue(interrupted);
	}

	private void awaitTurns(int count) {
		await().atMost(Duration.ofSeconds(30)).until(() -> this.turns.get() >= count);
		assertThat(this.turns).hasValue(count);
	}

}
