package dev.outbox.dispatch;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PollTriggerTests {

	private static final Duration ORDINARY = Duration.ofSeconds(5);

	private static final Duration GRAIN = Duration.ofMillis(10);

	private final AtomicLong nanos = new AtomicLong(-7);

	private final AtomicInteger due = new AtomicInteger();

	private final PollTrigger trigger = new PollTrigger(this.nanos::get);

	@BeforeEach
	void attachALoopThatDoesNotRun() {
		this.trigger.attach(new BackgroundLoop("outbox", "poll", ORDINARY, () -> ORDINARY));
	}

	@Test
	void thePollerKeepsItsPauseIfNothingIsDueEarlier() throws Exception {
		assertThat(look()).isEqualTo(ORDINARY);
		this.trigger.pullIn(Duration.ofMinutes(1));
		assertThat(look()).isEqualTo(ORDINARY);
	}

	@Test
	void looksInBetweenDoNotMakeItForgetWhatIsDueLater() throws Exception {
		this.trigger.pullIn(Duration.ofSeconds(3));
		this.trigger.pullIn(Duration.ofSeconds(1));
		this.trigger.pullIn(Duration.ofSeconds(2));
		assertLookIn(Duration.ofSeconds(1));
		pass(Duration.ofMillis(400));
		assertLookIn(Duration.ofMillis(600));
		pass(Duration.ofMillis(620));
		assertLookIn(Duration.ofMillis(980));
		pass(Duration.ofMillis(1000));
		assertLookIn(Duration.ofMillis(980));
		pass(Duration.ofMillis(1000));
		assertThat(look()).isEqualTo(ORDINARY);
	}

	@Test
	void whatBecomesDueDuringALookIsLookedForAgainAtOnce() throws Exception {
		this.trigger.pullIn(Duration.ofSeconds(1));
		Duration pause = this.trigger.follow(() -> {
			pass(Duration.ofSeconds(2));
			return ORDINARY;
		}, this.due::incrementAndGet);
		assertThat(pause).isZero();
		assertThat(look()).isEqualTo(ORDINARY);
	}

	@Test
	void thePollerIsToldOnceThatSomethingShouldBeDue() throws Exception {
		this.trigger.pullIn(Duration.ofSeconds(1));
		look();
		assertThat(this.due).hasValue(0);
		pass(Duration.ofSeconds(2));
		look();
		look();
		assertThat(this.due).hasValue(1);
	}

	@Test
	void itDoesNotLookBeforeAnEventIsDue() throws Exception {
		for (int i = 1; i < 200; i++) {
			Duration delay = Duration.ofNanos(i * 977_777L);
			this.trigger.pullIn(delay);
			assertThat(look()).isGreaterThanOrEqualTo(delay);
			pass(look());
			assertThat(look()).isEqualTo(ORDINARY);
		}
	}

	private Duration look() throws Exception {
		return this.trigger.follow(() -> ORDINARY, this.due::incrementAndGet);
	}

	private void assertLookIn(Duration expected) throws Exception {
		assertThat(look()).isCloseTo(expected, GRAIN);
	}

	private void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

}
