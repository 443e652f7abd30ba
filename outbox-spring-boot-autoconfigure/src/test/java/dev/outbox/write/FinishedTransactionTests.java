package dev.outbox.write;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxTransactionException;
import dev.outbox.WriterHook;
import dev.outbox.store.OutboxFixture;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.PoolOptions;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * A write from an after-commit callback joins a transaction that is over: it is refused,
 * and works in a transaction of its own.
 */
@EachDatabase
@ExtendWith(OutputCaptureExtension.class)
class FinishedTransactionTests {

	private final OutboxFixture outbox;

	private TestDataSource source;

	FinishedTransactionTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
		this.source = this.outbox.source.anotherPool(options());
	}

	/**
	 * On SQLite the driver takes the write lock again at once after a commit, unless its
	 * transactions are deferred.
	 */
	private PoolOptions options() {
		return (this.outbox.source.database() == TestDatabase.SQLITE)
				? PoolOptions.defaults().withUrlParameter("transaction_mode", "DEFERRED") : PoolOptions.defaults();
	}

	@AfterEach
	void close() {
		this.source.close();
	}

	private List<RuntimeException> afterCommit(WriterFixture application, boolean writeBefore,
			Consumer<WriterFixture> work) {
		List<RuntimeException> failures = new ArrayList<>();
		application.inTransaction(() -> {
			if (writeBefore) {
				application.writer.write(new WriterFixture.Placed("before"));
			}
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
				@Override
				public void afterCommit() {
					try {
						work.accept(application);
					}
					catch (RuntimeException ex) {
						failures.add(ex);
					}
				}
			});
		});
		return failures;
	}

	@Test
	void aWriteThatJoinsAFinishedTransactionIsRefused() {
		for (boolean autoCommit : new boolean[] { true, false }) {
			for (boolean writeBefore : new boolean[] { true, false }) {
				this.source.close();
				this.source = this.outbox.source.anotherPool(options().withAutoCommit(autoCommit));
				WriterFixture application = WriterFixture.on(this.source.dataSource());
				List<RuntimeException> failures = afterCommit(application, writeBefore,
						(it) -> it.in(TransactionDefinition.PROPAGATION_REQUIRED,
								() -> it.writer.write(new WriterFixture.Placed("x"))));
				assertThat(failures).singleElement()
					.isInstanceOf(OutboxTransactionException.class)
					.asString()
					.contains("REQUIRES_NEW");
				assertThat(application.events()).isEqualTo(writeBefore ? 1 : 0);
			}
		}
	}

	@Test
	void aTransactionOfItsOwnWorksAndDoesNotHideTheFinishedOne() {
		for (boolean autoCommit : new boolean[] { true, false }) {
			this.source.close();
			this.source = this.outbox.source.anotherPool(options().withAutoCommit(autoCommit));
			WriterFixture application = WriterFixture.on(this.source.dataSource());
			List<RuntimeException> failures = afterCommit(application, true, (it) -> {
				it.in(TransactionDefinition.PROPAGATION_REQUIRES_NEW,
						() -> it.writer.write(new WriterFixture.Placed("own")));
				assertThatIllegalStateException()
					.isThrownBy(() -> it.in(TransactionDefinition.PROPAGATION_REQUIRES_NEW, () -> {
						it.writer.write(new WriterFixture.Placed("rolled back"));
						throw new IllegalStateException("roll back");
					}));
				it.writer.write(new WriterFixture.Placed("joined"));
			});
			assertThat(failures).singleElement().isInstanceOf(OutboxTransactionException.class);
			assertThat(application.jdbc.queryForList("SELECT aggregate_id FROM outbox_event", String.class))
				.containsExactlyInAnyOrder("before", "own");
		}
	}

	@Test
	void aWriteAfterCompletionIsRefused() {
		WriterFixture application = WriterFixture.on(this.source.dataSource());
		List<RuntimeException> failures = new ArrayList<>();
		application.inTransaction(
				() -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
					@Override
					public void afterCompletion(int status) {
						failures.add(WriterFixture.swallowing(() -> application.writer.write("Type", "{}")));
					}
				}));
		assertThat(failures).singleElement().isInstanceOf(OutboxTransactionException.class);
		assertThat(application.events()).isZero();
	}

	@Test
	void withATransactionManagerThatIsNotWatchedItIsReported(CapturedOutput output) {
		WriterFixture application = WriterFixture.unwatched(this.source.dataSource());
		afterCommit(application, false, (it) -> it.writer.write(new WriterFixture.Placed("x")));
		assertThat(output).contains("ERROR")
			.contains("1 events were written in a transaction that had already been committed");
	}

	@Test
	void theThreadIsCleanAfterwards() {
		List<List<EventEnvelope>> committed = new ArrayList<>();
		WriterFixture application = WriterFixture.on(this.source.dataSource(), new WriterHook() {
			@Override
			public void afterCommit(List<EventEnvelope> events) {
				committed.add(events);
			}
		});
		afterCommit(application, true, (it) -> it.in(TransactionDefinition.PROPAGATION_REQUIRES_NEW,
				() -> it.writer.write(new WriterFixture.Placed("own"))));
		application.inTransaction(() -> application.writer.write(new WriterFixture.Placed("next")));
		assertThat(committed).hasSize(3).allSatisfy((events) -> assertThat(events).hasSize(1));
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
	}

	@Test
	void nothingPilesUpOnTheThreadWhenSomebodyElsesListenerFails() {
		WriterFixture application = WriterFixture.on(this.source.dataSource());
		ThreadLocal<?> open = openTransactions(application);
		application.inTransaction(() -> assertThat(open.get()).isNotNull());
		assertThat(open.get()).isNull();
		List<TransactionExecutionListener> listeners = new ArrayList<>(
				application.transactionManager.getTransactionExecutionListeners());
		listeners.add(0, new TransactionExecutionListener() {
			@Override
			public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
				throw new IllegalStateException("somebody else's");
			}
		});
		application.transactionManager.setTransactionExecutionListeners(listeners);
		for (int i = 0; i < 3; i++) {
			assertThatIllegalStateException().isThrownBy(() -> application.inTransaction(() -> {
			}));
		}
		assertThat(ReflectionTestUtils.getField(Objects.requireNonNull(open.get()), "outer")).isNull();
	}

	private static ThreadLocal<?> openTransactions(WriterFixture application) {
		Object gate = ReflectionTestUtils.getField(application.caller, "gate");
		return (ThreadLocal<?>) Objects
			.requireNonNull(ReflectionTestUtils.getField(Objects.requireNonNull(gate), "innermost"));
	}

}
