package dev.outbox.write;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import dev.outbox.EventEnvelope;
import dev.outbox.WriterHook;
import dev.outbox.store.OutboxFixture;
import dev.outbox.store.RecordedStatements;
import dev.outbox.testsupport.TestDatabase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Hooks see what is written, what is committed and what is rolled back, each once.
 */
class WriterHookTests {

	private final OutboxFixture outbox = OutboxFixture.empty(TestDatabase.H2);

	private final List<String> calls = new ArrayList<>();

	/**
	 * Notes its calls.
	 */
	private class Noting implements WriterHook {

		private final String name;

		Noting(String name) {
			this.name = name;
		}

		@Override
		public @Nullable List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
			note("before", events);
			return events;
		}

		@Override
		public void afterWrite(List<EventEnvelope> events) {
			note("written", events);
		}

		@Override
		public void afterCommit(List<EventEnvelope> events) {
			note("committed", events);
		}

		@Override
		public void afterRollback(List<EventEnvelope> events) {
			note("rolled back", events);
		}

		final void note(String what, List<EventEnvelope> events) {
			WriterHookTests.this.calls
				.add(this.name + " " + what + " " + events.stream().map(EventEnvelope::aggregateId).toList());
		}

	}

	private WriterFixture application(WriterHook... hooks) {
		return WriterFixture.on(this.outbox.source.dataSource(), hooks);
	}

	@Test
	void hooksAreCalledInTheirOrderAndOncePerTransactionAfterIt() {
		WriterFixture application = application(new Noting("a"), new Noting("b"));
		application.inTransaction(() -> {
			application.writer.write(new WriterFixture.Placed("1"));
			application.writer.writeAll(List.of(new WriterFixture.Placed("2"), new WriterFixture.Placed("3")));
		});
		assertThat(this.calls).containsExactly("a before [1]", "b before [1]", "a written [1]", "b written [1]",
				"a before [2, 3]", "b before [2, 3]", "a written [2, 3]", "b written [2, 3]", "a committed [1, 2, 3]",
				"b committed [1, 2, 3]");
	}

	@Test
	void aRollbackIsReported() {
		WriterFixture application = application(new Noting("a"));
		assertThatIllegalStateException().isThrownBy(() -> application.inTransaction(() -> {
			application.writer.write(new WriterFixture.Placed("1"));
			throw new IllegalStateException("roll back");
		}));
		assertThat(this.calls).containsExactly("a before [1]", "a written [1]", "a rolled back [1]");
	}

	@Test
	void aRollbackToASavepointIsReportedAtOnceAndNotAgain() {
		WriterFixture application = application(new Noting("a"));
		application.inTransaction(() -> {
			application.writer.write(new WriterFixture.Placed("1"));
			WriterFixture.swallowing(() -> application.in(TransactionDefinition.PROPAGATION_NESTED, () -> {
				application.writer.write(new WriterFixture.Placed("2"));
				throw new IllegalStateException("roll back");
			}));
			application.writer.write(new WriterFixture.Placed("3"));
		});
		assertThat(this.calls).contains("a rolled back [2]").endsWith("a committed [1, 3]");
	}

	@Test
	void aHookMayReplaceAddAndRemoveEvents() {
		WriterFixture application = application(new WriterHook() {
			@Override
			public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
				return List.of(events.get(0).toBuilder().tenantId("acme").build(), EventEnvelope.ofJson("Extra", "{}"));
			}
		}, new Noting("b"));
		List<String> ids = new ArrayList<>();
		application.inTransaction(() -> ids.addAll(
				application.writer.writeAll(List.of(new WriterFixture.Placed("1"), new WriterFixture.Placed("2")))));
		assertThat(ids).hasSize(2);
		assertThat(this.outbox.row(ids.get(0)).tenantId()).isEqualTo("acme");
		assertThat(this.outbox.row(ids.get(1)).eventType()).isEqualTo("Extra");
		assertThat(this.calls).startsWith("b before [1, null]").endsWith("b committed [1, null]");
	}

	@Test
	void aHookMaySuppressAWrite() {
		for (List<EventEnvelope> nothing : new ArrayList<@Nullable List<EventEnvelope>>(
				Arrays.asList(null, List.of()))) {
			WriterFixture application = application(new WriterHook() {
				@Override
				public @Nullable List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
					return nothing;
				}
			}, new Noting("b"));
			application.inTransaction(() -> {
				application.business("1");
				assertThat(application.writer.write("Type", "{}")).isNull();
				assertThat(application.writer.writeAll(List.of(new WriterFixture.Placed("1")))).isEmpty();
			});
			assertThat(application.events()).isZero();
			assertThat(application.businessRows()).isOne();
			assertThat(this.calls).isEmpty();
		}
	}

	@Test
	void aHookThatFailsLaterChangesNothing() {
		WriterFixture application = application(new Noting("a") {
			@Override
			public void afterWrite(List<EventEnvelope> events) {
				throw new IllegalStateException("after write");
			}

			@Override
			public void afterCommit(List<EventEnvelope> events) {
				throw new AssertionError("after commit");
			}
		}, new Noting("b"));
		application.inTransaction(() -> application.writer.write(new WriterFixture.Placed("1")));
		assertThat(application.events()).isOne();
		assertThat(this.calls).contains("b written [1]").endsWith("b committed [1]");
	}

	@Test
	void somebodyElsesFailingCallbackDoesNotKeepTheHooksFromBeingCalled() {
		WriterFixture application = application(new Noting("a"));
		assertThatIllegalStateException().isThrownBy(() -> application.inTransaction(() -> {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
				@Override
				public void afterCommit() {
					throw new IllegalStateException("somebody else's");
				}
			});
			application.writer.write(new WriterFixture.Placed("1"));
		}));
		assertThat(this.calls).endsWith("a committed [1]");
	}

	@Test
	void anEventWrittenJustBeforeTheCommitIsReportedAsCommitted() {
		WriterFixture application = application(new Noting("a"));
		application.inTransaction(
				() -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
					@Override
					public void beforeCompletion() {
						application.writer.write(new WriterFixture.Placed("1"));
					}
				}));
		assertThat(application.events()).isOne();
		assertThat(this.calls).endsWith("a committed [1]");
	}

	@Test
	void aTransactionWithinAnotherHasHooksOfItsOwn() {
		WriterFixture application = application(new Noting("a"));
		assertThatIllegalStateException().isThrownBy(() -> application.inTransaction(() -> {
			application.writer.write(new WriterFixture.Placed("1"));
			application.in(TransactionDefinition.PROPAGATION_REQUIRES_NEW,
					() -> application.writer.write(new WriterFixture.Placed("2")));
			application.writer.write(new WriterFixture.Placed("3"));
			throw new IllegalStateException("roll back the outer one");
		}));
		assertThat(this.calls).contains("a committed [2]").endsWith("a rolled back [1, 3]");
		assertThat(application.jdbc.queryForList("SELECT aggregate_id FROM outbox_event", String.class))
			.containsExactly("2");
	}

	@Test
	void thereIsOneSynchronizationPerTransactionAndOneStatementPerCall() {
		RecordedStatements recorded = new RecordedStatements(this.outbox.source.dataSource());
		WriterFixture application = WriterFixture.on(recorded);
		recorded.statements().clear();
		application.inTransaction(() -> {
			for (int i = 0; i < 10; i++) {
				application.writer.writeAll(List.of(new WriterFixture.Placed("1"), new WriterFixture.Placed("2"),
						new WriterFixture.Placed("3")));
			}
			assertThat(TransactionSynchronizationManager.getSynchronizations()).hasSize(1);
		});
		assertThat(recorded.statements()).hasSize(10).allMatch((sql) -> sql.startsWith("INSERT"));
		assertThat(application.events()).isEqualTo(30);
	}

	@Test
	void aLargeCallIsCutIntoFewStatements() {
		RecordedStatements recorded = new RecordedStatements(this.outbox.source.dataSource());
		WriterFixture application = WriterFixture.on(recorded);
		recorded.statements().clear();
		application.inTransaction(() -> application.writer.writeAll(OutboxFixture.events(1100)));
		assertThat(recorded.statements()).hasSize(3);
		assertThat(application.events()).isEqualTo(1100);
	}

}
