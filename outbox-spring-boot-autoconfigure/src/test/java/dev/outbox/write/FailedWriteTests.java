package dev.outbox.write;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import dev.outbox.DuplicateEventException;
import dev.outbox.EventEnvelope;
import dev.outbox.EventNotWrittenException;
import dev.outbox.EventType;
import dev.outbox.OutboxException;
import dev.outbox.WriterHook;
import dev.outbox.store.OutboxFixture;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.PoolOptions;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A write that throws, for whatever reason, cannot be followed by a commit of the
 * business data, even if its exception is swallowed.
 */
@EachDatabase
class FailedWriteTests {

	private final TestDatabase database;

	private final TestDataSource source;

	FailedWriteTests(TestDatabase database) {
		this.database = database;
		this.source = OutboxFixture.empty(database).source.anotherPool();
	}

	@AfterEach
	void close() {
		this.source.close();
	}

	/**
	 * Why a write fails.
	 */
	enum Reason {

		NOT_SERIALIZABLE((application) -> application.writer.write(new WriterFixture.Broken())),

		NOT_ANNOTATED((application) -> application.writer.write(new Object())),

		NULL_EVENT((application) -> application.writer.write(FailedWriteTests.<Object>nothing())),

		NULL_TYPE((application) -> application.writer.write(FailedWriteTests.<EventType>nothing(), "{}")),

		NULL_PAYLOAD((application) -> application.writer.write("Type", FailedWriteTests.<String>nothing())),

		NULL_AMONG_OTHERS((application) -> application.writer
			.writeAll(Arrays.asList(EventEnvelope.ofJson("Type", "{}"), FailedWriteTests.nothing()))),

		EMPTY_TYPE((application) -> application.writer.write("", "{}")),

		UNSTORABLE_PAYLOAD((application) -> application.writer.write("Type", "nul \u0000")),

		PAYLOAD_TOO_LARGE((application) -> application.writer.write("Type", "x".repeat(1001))),

		TOO_MANY_HEADERS((application) -> application.writer.write(EventEnvelope.builder("Type")
			.payloadJson("{}")
			.headers(Map.of("a", "1", "b", "2", "c", "3", "d", "4"))
			.build())),

		HEADERS_TOO_LARGE((application) -> application.writer
			.write(EventEnvelope.builder("Type").payloadJson("{}").header("a", "x".repeat(100)).build())),

		DUPLICATE_ID((application) -> {
			EventEnvelope event = EventEnvelope.ofJson("Type", "{}");
			application.writer.writeAll(List.of(event, event));
		}),

		ONE_OF_MANY((application) -> application.writer
			.writeAll(List.of(EventEnvelope.ofJson("Type", "{}"), EventEnvelope.ofJson("Type", "x".repeat(1001)))));

		private final Consumer<WriterFixture> write;

		Reason(Consumer<WriterFixture> write) {
			this.write = write;
		}

	}

	/**
	 * What callers pass who do not care about null-safety.
	 */
	@SuppressWarnings("NullAway")
	private static <T> T nothing() {
		return null;
	}

	@ParameterizedTest
	@EnumSource
	void aSwallowedFailureRefusesTheCommit(Reason reason) {
		assertSwallowedFailureRefusesTheCommit(WriterFixture.on(this.source.dataSource()), reason.write);
	}

	@Test
	void aSwallowedFailureOfAHookRefusesTheCommit() {
		WriterFixture application = WriterFixture.on(this.source.dataSource(), new WriterHook() {
			@Override
			public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
				throw new IllegalStateException("the hook says no");
			}
		});
		assertSwallowedFailureRefusesTheCommit(application, (it) -> it.writer.write(new WriterFixture.Placed("1")));
	}

	@Test
	void aSwallowedFailureOfThePartitionerRefusesTheCommit() {
		WriterFixture application = WriterFixture.on(this.source.dataSource(), (event, count) -> count);
		assertSwallowedFailureRefusesTheCommit(application, (it) -> it.writer.write(new WriterFixture.Placed("1")));
	}

	@Test
	void aSwallowedFailureOfTheInsertRefusesTheCommit() {
		try (TestDataSource own = this.database.freshDatabase()) {
			OutboxFixture.in(own);
			WriterFixture application = WriterFixture.on(own.dataSource());
			application.jdbc.execute("ALTER TABLE outbox_event RENAME TO elsewhere");
			assertThatExceptionOfType(EventNotWrittenException.class).isThrownBy(() -> application.inTransaction(() -> {
				application.business("1");
				WriterFixture.swallowing(() -> application.writer.write(new WriterFixture.Placed("1")));
			}));
			assertThat(application.businessRows()).isZero();
		}
	}

	private static void assertSwallowedFailureRefusesTheCommit(WriterFixture application,
			Consumer<WriterFixture> write) {
		AtomicInteger afterwards = new AtomicInteger();
		assertThatExceptionOfType(EventNotWrittenException.class).isThrownBy(() -> application.inTransaction(() -> {
			application.business("before");
			RuntimeException swallowed = WriterFixture.swallowing(() -> write.accept(application));
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
				@Override
				public void afterCompletion(int status) {
					afterwards.set(status);
				}
			});
			assertThat(swallowed).isNotInstanceOf(EventNotWrittenException.class);
		})).withMessageContaining("rolled back because an event of it could not be written");
		assertThat(application.businessRows()).isZero();
		assertThat(application.events()).isZero();
		assertThat(afterwards).hasValue(TransactionSynchronization.STATUS_ROLLED_BACK);
	}

	@Test
	void aFailureWithinAPartOfTheTransactionRefusesTheCommitOfTheWhole() {
		WriterFixture application = WriterFixture.on(this.source.dataSource());
		assertThatExceptionOfType(EventNotWrittenException.class).isThrownBy(() -> application.inTransaction(() -> {
			application.business("before");
			application.in(TransactionDefinition.PROPAGATION_REQUIRED,
					() -> WriterFixture.swallowing(() -> application.writer.write("Type", "x".repeat(1001))));
		}));
		assertThat(application.businessRows()).isZero();
	}

	@Test
	void aRollbackToASavepointBeforeTheFailureLiftsIt() {
		WriterFixture application = WriterFixture.on(this.source.dataSource());
		application.inTransaction(() -> {
			application.writer.write(new WriterFixture.Placed("first"));
			WriterFixture.swallowing(() -> application.in(TransactionDefinition.PROPAGATION_NESTED, () -> {
				application.business("undone");
				application.writer.write(new WriterFixture.Placed("undone"));
				application.writer.write("Type", "x".repeat(1001));
			}));
			application.business("kept");
			application.writer.write(new WriterFixture.Placed("second"));
		});
		assertThat(application.jdbc.queryForList("SELECT id FROM business", String.class)).containsExactly("kept");
		assertThat(application.jdbc.queryForList("SELECT aggregate_id FROM outbox_event", String.class))
			.containsExactlyInAnyOrder("first", "second");
	}

	@Test
	void aRollbackToASavepointAfterTheFailureDoesNotLiftIt() {
		WriterFixture application = WriterFixture.on(this.source.dataSource());
		assertThatExceptionOfType(EventNotWrittenException.class).isThrownBy(() -> application.inTransaction(() -> {
			application.business("before");
			WriterFixture.swallowing(() -> application.writer.write("Type", "x".repeat(1001)));
			WriterFixture.swallowing(() -> application.in(TransactionDefinition.PROPAGATION_NESTED, () -> {
				application.writer.write(new WriterFixture.Placed("undone"));
				throw new IllegalStateException("roll back to the savepoint");
			}));
		}));
		assertThat(application.businessRows()).isZero();
	}

	@Test
	void aFailureBeforeAFirstWriteIsLiftedToo() {
		WriterFixture application = WriterFixture.on(this.source.dataSource());
		new TransactionTemplate(application.transactionManager).executeWithoutResult((status) -> {
			Object savepoint = status.createSavepoint();
			WriterFixture.swallowing(() -> application.writer.write("Type", "x".repeat(1001)));
			status.rollbackToSavepoint(savepoint);
			application.business("kept");
		});
		assertThat(application.businessRows()).isOne();
	}

	@Test
	void aFailureSwallowedWhileTheCommitIsBeingPreparedRefusesIt() {
		WriterFixture application = WriterFixture.on(this.source.dataSource());
		assertThatExceptionOfType(EventNotWrittenException.class).isThrownBy(() -> application.inTransaction(() -> {
			application.business("before");
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
				@Override
				public void beforeCommit(boolean readOnly) {
					WriterFixture.swallowing(() -> application.writer.write("Type", "x".repeat(1001)));
				}
			});
		}));
		assertThat(application.businessRows()).isZero();
	}

	@Test
	void aWriteWhileTheCommitIsBeingPreparedIsCommitted() {
		WriterFixture application = WriterFixture.on(this.source.dataSource());
		application.inTransaction(
				() -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
					@Override
					public void beforeCommit(boolean readOnly) {
						application.writer.write(new WriterFixture.Placed("late"));
					}
				}));
		assertThat(application.events()).isOne();
	}

	@Test
	void theNextTransactionOfTheThreadIsFreeAgain() {
		WriterFixture application = WriterFixture.on(this.source.dataSource());
		for (int i = 0; i < 3; i++) {
			assertThatExceptionOfType(OutboxException.class)
				.isThrownBy(() -> application.inTransaction(() -> application.writer.write("", "{}")));
			application.inTransaction(() -> application.writer.write("Type", "{}"));
		}
		assertThat(application.events()).isEqualTo(3);
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
	}

	@Test
	void anEventOfARawSavepointRollbackIsNotInTheTable() {
		WriterFixture application = WriterFixture.on(this.source.dataSource());
		application.inTransaction(() -> {
			Connection connection = DataSourceUtils.getConnection(application.dataSource);
			try {
				Savepoint savepoint = connection.setSavepoint("raw");
				application.writer.write(new WriterFixture.Placed("undone"));
				connection.rollback(savepoint);
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
			finally {
				DataSourceUtils.releaseConnection(connection, application.dataSource);
			}
			application.writer.write(new WriterFixture.Placed("kept"));
		});
		assertThat(application.jdbc.queryForList("SELECT aggregate_id FROM outbox_event", String.class))
			.containsExactly("kept");
	}

	@Test
	void limitsAreExact() {
		WriterFixture application = WriterFixture.on(this.source.dataSource());
		application.inTransaction(() -> {
			application.writer.write("T".repeat(128), "é".repeat(500));
			application.writer.write(EventEnvelope.builder("Type")
				.eventId("i".repeat(36))
				.aggregateType("a".repeat(64))
				.aggregateId("😀".repeat(64))
				.key("k".repeat(128))
				.tenantId("t".repeat(64))
				.header("h".repeat(50), "v".repeat(50))
				.payloadJson("{}")
				.build());
		});
		assertThat(application.events()).isEqualTo(2);
		assertThatExceptionOfType(OutboxException.class)
			.isThrownBy(() -> application.inTransaction(() -> application.writer.write("T", "é".repeat(500) + "x")))
			.withMessage("Event field 'payload' has 1001 bytes, outbox.write.max-payload is 1000");
	}

	@Test
	void anIdThatIsTakenIsReportedAsSuch() {
		WriterFixture application = WriterFixture.on(this.source.dataSource());
		EventEnvelope event = EventEnvelope.builder("Type").eventId("mine").payloadJson("{}").build();
		application.inTransaction(() -> application.writer.write(event));
		assertThatExceptionOfType(DuplicateEventException.class)
			.isThrownBy(() -> application.inTransaction(() -> application.writer.write(event)));
		assertThat(application.events()).isOne();
	}

	@Test
	void aPoolOfOneConnectionIsEnough() {
		try (TestDataSource one = this.source
			.anotherPool(PoolOptions.defaults().withMaximumPoolSize(1).withConnectionTimeout(Duration.ofSeconds(2)))) {
			WriterFixture application = WriterFixture.on(one.dataSource(), new WriterHook() {
			});
			for (int i = 0; i < 20; i++) {
				int number = i;
				application.inTransaction(() -> {
					application.business("b" + number);
					application.writer.write(new WriterFixture.Placed("e" + number));
				});
			}
			assertThat(application.events()).isEqualTo(20);
			assertThat(application.businessRows()).isEqualTo(20);
		}
	}

}
