package dev.outbox.dead;

import java.time.Duration;

import dev.outbox.OutboxException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link Pacing} and {@link ReplayOptions}.
 */
class PacingTests {

	@Test
	void timePasses() {
		long start = System.nanoTime();
		Pacing.PARKING.pause(Duration.ofMillis(20));
		assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(Duration.ofMillis(20).toNanos());
	}

	@Test
	void anInterruptEndsTheReplayAndIsKept() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(OutboxException.class).isThrownBy(() -> Pacing.PARKING.pause(Duration.ofHours(1)));
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void impossibleOptionsAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> ReplayOptions.upTo(0));
		assertThatIllegalArgumentException().isThrownBy(() -> ReplayOptions.upTo(1).withRate(0));
		assertThatIllegalArgumentException().isThrownBy(() -> DeadEventQuery.builder().limit(0).build());
		assertThatIllegalArgumentException().isThrownBy(() -> DeadEventQuery.builder().limit(501).build());
	}

}
