package dev.outbox.write;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import dev.outbox.EventEnvelope;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests that a reservation that fails in the middle of a write leaves no place behind.
 */
class FailedReservationTests {

	private final Object key = new Object();

	private final ThirdFails handOver = new ThirdFails();

	@BeforeEach
	void begin() {
		TransactionSynchronizationManager.initSynchronization();
	}

	@AfterEach
	void end() {
		TransactionSynchronizationManager.unbindResourceIfPossible(this.key);
		TransactionSynchronizationManager.clearSynchronization();
	}

	@Test
	void placesOfTheEventsBeforeAreFreedAtOnceAndOnce() {
		TransactionScope scope = TransactionScope.join(this.key, "outbox", new WriterHooks("outbox", List.of()),
				this.handOver);
		List<EventEnvelope> events = Stream.generate(() -> EventEnvelope.ofJson("thing.happened", "{}"))
			.limit(4)
			.toList();
		assertThatIllegalStateException().isThrownBy(() -> scope.enter(events));
		assertThat(this.handOver.cancelled).extracting(WrittenEvent::envelope).isEqualTo(events.subList(0, 2));
		scope.afterCompletion(TransactionSynchronization.STATUS_ROLLED_BACK);
		assertThat(this.handOver.cancelled).hasSize(2);
		assertThat(this.handOver.taken).containsExactly(0, 1, 2);
	}

	private static final class ThirdFails implements HandOver {

		private final List<Integer> taken = new ArrayList<>();

		private final List<WrittenEvent> cancelled = new ArrayList<>();

		@Override
		public @Nullable Long reserve(EventEnvelope event, int already) {
			this.taken.add(already);
			if (this.taken.size() == 3) {
				throw new IllegalStateException();
			}
			return 1L;
		}

		@Override
		public void handOver(List<WrittenEvent> events) {
		}

		@Override
		public void cancel(List<WrittenEvent> events) {
			this.cancelled.addAll(events);
		}

		@Override
		public void due(List<WrittenEvent> events) {
		}

	}

}
