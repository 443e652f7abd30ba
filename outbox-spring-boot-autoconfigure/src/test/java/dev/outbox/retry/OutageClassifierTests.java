package dev.outbox.retry;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;

import dev.outbox.EventNotWrittenException;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxException;
import dev.outbox.OutboxTransactionException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OutageClassifier} and {@link Causes}.
 */
class OutageClassifierTests {

	private final OutageClassifier classifier = OutageClassifier.standard();

	private final Throwable unreadable = new InvalidEventException("payload", "is missing in the table");

	@Test
	void everythingMayBeAnOutage() {
		assertThat(List.of(new IllegalStateException(), new IOException(), new OutOfMemoryError(),
				new RuntimeException(new IOException()), new OutboxTransactionException("no transaction"),
				new EventNotWrittenException("swallowed", new IOException())))
			.allMatch(this.classifier::mayBeOutage);
	}

	@Test
	void anEventThatCannotBeReadIsNone() {
		assertThat(List.of(this.unreadable, new RuntimeException(this.unreadable),
				new EventNotWrittenException("swallowed", this.unreadable), new OutboxException("of another package") {
					private static final long serialVersionUID = 1L;

				}))
			.noneMatch(this.classifier::mayBeOutage);
	}

	@Test
	void whatIsNeverRetriedIsNone() {
		OutageClassifier narrower = this.classifier.except(Set.of(IOException.class));
		assertThat(narrower.mayBeOutage(new IllegalStateException())).isTrue();
		assertThat(narrower.mayBeOutage(new UncheckedIOException(new IOException()))).isFalse();
		assertThat(narrower.mayBeOutage(this.unreadable)).isFalse();
	}

	@Test
	void causesAreFoundByTheirTypeOrASupertype() {
		Throwable failure = new RuntimeException(new UncheckedIOException(new java.io.FileNotFoundException()));
		assertThat(Causes.contain(failure, Set.of(IOException.class))).isTrue();
		assertThat(Causes.contain(failure, Set.of(Error.class, UncheckedIOException.class))).isTrue();
		assertThat(Causes.contain(failure, Set.of(IllegalStateException.class))).isFalse();
		assertThat(Causes.contain(failure, Set.of())).isFalse();
	}

	@Test
	void causesInACircleComeToAnEnd() {
		Exception inner = new IOException();
		Exception outer = new IllegalStateException(inner);
		inner.initCause(outer);
		assertThat(Causes.contain(outer, Set.of(Error.class))).isFalse();
		assertThat(Causes.contain(outer, Set.of(IOException.class))).isTrue();
		assertThat(this.classifier.mayBeOutage(outer)).isTrue();
	}

	@Test
	void causesThatAreMadeUpComeToAnEnd() {
		assertThat(Causes.contain(new Endless(), Set.of(Error.class))).isFalse();
	}

	private static final class Endless extends RuntimeException {

		private static final long serialVersionUID = 1L;

		@Override
		public synchronized Throwable getCause() {
			return new Endless();
		}

	}

}
