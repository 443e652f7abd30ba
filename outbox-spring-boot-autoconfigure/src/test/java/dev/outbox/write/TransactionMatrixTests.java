package dev.outbox.write;

import java.lang.reflect.Proxy;

import javax.sql.DataSource;

import dev.outbox.EventNotWrittenException;
import dev.outbox.OutboxTransactionException;
import dev.outbox.store.OutboxFixture;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.PoolOptions;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * In every kind of transaction, with both kinds of pools, committed or rolled back: the
 * event is in the table exactly if the business row is; and where that cannot be, the
 * write is refused.
 */
@EachDatabase
class TransactionMatrixTests {

	private final TestDatabase database;

	private final OutboxFixture outbox;

	private TestDataSource source;

	TransactionMatrixTests(TestDatabase database) {
		this.database = database;
		this.outbox = OutboxFixture.empty(database);
		this.source = this.outbox.source.anotherPool();
	}

	@AfterEach
	void close() {
		this.source.close();
	}

	/**
	 * The kinds of transactions in which a write works.
	 */
	enum Transaction {

		REQUIRED, REQUIRES_NEW_WITHIN, NESTED, NESTED_ONLY_ROLLED_BACK, LAZY_PROXY_MANAGED, LAZY_PROXY_OUTBOX,
		DOUBLE_WRAPPER, FOREIGN_WRAPPER_MANAGED, FOREIGN_WRAPPER_OUTBOX

	}

	/**
	 * The places in which a write is refused.
	 */
	enum Refused {

		NONE, SUPPORTS, NOT_SUPPORTED, OTHER_DATA_SOURCE, OTHER_DATA_SOURCE_WITHIN_OURS,
		OTHER_DATA_SOURCE_WITH_OURS_IN_USE, READ_ONLY, WITHOUT_SYNCHRONIZATION

	}

	private void use(PoolOptions options) {
		this.source.close();
		this.source = this.outbox.source.anotherPool(options);
	}

	/**
	 * On SQLite a transaction within another one works only as long as the outer one has
	 * not taken the write lock.
	 */
	private PoolOptions optionsFor(Transaction transaction) {
		return (this.database == TestDatabase.SQLITE && transaction == Transaction.REQUIRES_NEW_WITHIN)
				? PoolOptions.defaults().withUrlParameter("transaction_mode", "DEFERRED") : PoolOptions.defaults();
	}

	@ParameterizedTest
	@EnumSource
	void eventAndBusinessRowShareTheirFate(Transaction transaction) {
		for (boolean autoCommit : new boolean[] { true, false }) {
			use(optionsFor(transaction).withAutoCommit(autoCommit));
			for (boolean commit : new boolean[] { true, false }) {
				WriterFixture application = application(transaction, this.source.dataSource());
				run(transaction, application, commit);
				boolean expected = commit && transaction != Transaction.NESTED_ONLY_ROLLED_BACK;
				String description = transaction + ", auto-commit " + autoCommit + ", commit " + commit;
				assertThat(application.businessRows()).as(description).isEqualTo(expected ? 1 : 0);
				assertThat(application.events()).as(description).isEqualTo(expected ? 1 : 0);
			}
		}
	}

	private static WriterFixture application(Transaction transaction, DataSource dataSource) {
		return switch (transaction) {
			case LAZY_PROXY_MANAGED -> WriterFixture.wrapped(dataSource, new LazyConnectionDataSourceProxy(dataSource));
			case LAZY_PROXY_OUTBOX -> WriterFixture.wrapped(new LazyConnectionDataSourceProxy(dataSource), dataSource);
			case FOREIGN_WRAPPER_MANAGED -> WriterFixture.wrapped(dataSource, foreignWrapper(dataSource));
			case FOREIGN_WRAPPER_OUTBOX -> WriterFixture.wrapped(foreignWrapper(dataSource), dataSource);
			case DOUBLE_WRAPPER ->
				WriterFixture.wrapped(dataSource, new DelegatingDataSource(new DelegatingDataSource(dataSource)));
			default -> WriterFixture.on(dataSource);
		};
	}

	/**
	 * A wrapper that Spring knows nothing of, as libraries have them that log statements.
	 */
	private static DataSource foreignWrapper(DataSource target) {
		return (DataSource) Proxy.newProxyInstance(TransactionMatrixTests.class.getClassLoader(),
				new Class<?>[] { DataSource.class }, (proxy, method, arguments) -> switch (method.getName()) {
					case "isWrapperFor" -> ((Class<?>) arguments[0]).isInstance(target);
					case "unwrap" -> target;
					case "equals" -> proxy == arguments[0];
					case "hashCode" -> System.identityHashCode(proxy);
					default -> method.invoke(target, arguments);
				});
	}

	private static void run(Transaction transaction, WriterFixture application, boolean commit) {
		TransactionTemplate template = new TransactionTemplate(application.transactionManager);
		TransactionTemplate inner = switch (transaction) {
			case REQUIRES_NEW_WITHIN ->
				WriterFixture.template(application.transactionManager, TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			case NESTED, NESTED_ONLY_ROLLED_BACK ->
				WriterFixture.template(application.transactionManager, TransactionDefinition.PROPAGATION_NESTED);
			default -> template;
		};
		boolean within = inner != template;
		boolean newWithin = transaction == Transaction.REQUIRES_NEW_WITHIN;
		if (within) {
			template.executeWithoutResult((outer) -> {
				inner.executeWithoutResult((status) -> {
					work(application);
					if ((newWithin && !commit) || transaction == Transaction.NESTED_ONLY_ROLLED_BACK) {
						status.setRollbackOnly();
					}
				});
				if (newWithin == commit) {
					outer.setRollbackOnly();
				}
			});
		}
		else {
			template.executeWithoutResult((status) -> {
				work(application);
				if (!commit) {
					status.setRollbackOnly();
				}
			});
		}
	}

	private static void work(WriterFixture application) {
		assertThat(application.writer.write(new WriterFixture.Placed("1"))).hasSize(26);
		application.business("1");
	}

	@ParameterizedTest
	@EnumSource
	void aWriteIsRefusedWhereItWouldGoItsOwnWay(Refused place) {
		for (boolean autoCommit : new boolean[] { true, false }) {
			use(PoolOptions.defaults().withAutoCommit(autoCommit));
			try (TestDataSource other = this.database.freshDatabase()) {
				new JdbcTemplate(other.dataSource()).execute("CREATE TABLE business (id VARCHAR(36) PRIMARY KEY)");
				WriterFixture application = WriterFixture.on(this.source.dataSource());
				assertThatExceptionOfType(OutboxTransactionException.class)
					.isThrownBy(() -> in(place, application, other.dataSource(), () -> {
						application.writer.write(new WriterFixture.Placed("1"));
						new JdbcTemplate(other.dataSource()).update("INSERT INTO business (id) VALUES ('1')");
						application.business("1");
					}))
					.withMessageStartingWith("outbox: an event cannot be written, ")
					.withMessageContaining(expectedHint(place));
				assertThat(application.events()).as(place + " " + autoCommit).isZero();
				assertThat(application.businessRows()).isZero();
			}
		}
	}

	private static String expectedHint(Refused place) {
		return switch (place) {
			case NONE -> "there is no transaction here. Call it from a method with @Transactional";
			case NOT_SUPPORTED, SUPPORTS -> "only a scope without one (SUPPORTS, NOT_SUPPORTED)";
			case OTHER_DATA_SOURCE, OTHER_DATA_SOURCE_WITHIN_OURS, OTHER_DATA_SOURCE_WITH_OURS_IN_USE ->
				"not one of the outbox's DataSource";
			case READ_ONLY -> "read-only";
			case WITHOUT_SYNCHRONIZATION -> "synchronization switched off";
		};
	}

	private static void in(Refused place, WriterFixture application, DataSource other, Runnable work) {
		switch (place) {
			case NONE -> work.run();
			case SUPPORTS -> application.in(TransactionDefinition.PROPAGATION_SUPPORTS, work);
			case NOT_SUPPORTED ->
				application.inTransaction(() -> application.in(TransactionDefinition.PROPAGATION_NOT_SUPPORTED, work));
			case OTHER_DATA_SOURCE ->
				new TransactionTemplate(new JdbcTransactionManager(other)).executeWithoutResult((status) -> work.run());
			case OTHER_DATA_SOURCE_WITHIN_OURS -> {
				JdbcTransactionManager otherManager = new JdbcTransactionManager(other);
				application.watch(otherManager);
				application.inTransaction(
						() -> new TransactionTemplate(otherManager).executeWithoutResult((status) -> work.run()));
			}
			case OTHER_DATA_SOURCE_WITH_OURS_IN_USE ->
				new TransactionTemplate(new JdbcTransactionManager(other)).executeWithoutResult((status) -> {
					DataSourceUtils.getConnection(application.dataSource);
					work.run();
				});
			case READ_ONLY -> {
				TransactionTemplate template = new TransactionTemplate(application.transactionManager);
				template.setReadOnly(true);
				template.executeWithoutResult((status) -> work.run());
			}
			case WITHOUT_SYNCHRONIZATION -> {
				JdbcTransactionManager silent = new JdbcTransactionManager(application.dataSource);
				silent.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
				new TransactionTemplate(silent).executeWithoutResult((status) -> work.run());
			}
		}
	}

	@Test
	void aRefusedWriteSpoilsTheTransactionItWasRefusedIn() {
		try (TestDataSource other = this.database.freshDatabase()) {
			JdbcTemplate otherJdbc = new JdbcTemplate(other.dataSource());
			otherJdbc.execute("CREATE TABLE business (id VARCHAR(36) PRIMARY KEY)");
			WriterFixture application = WriterFixture.on(this.source.dataSource());
			assertThatExceptionOfType(EventNotWrittenException.class)
				.isThrownBy(() -> new TransactionTemplate(new JdbcTransactionManager(other.dataSource()))
					.executeWithoutResult((status) -> {
						otherJdbc.update("INSERT INTO business (id) VALUES ('1')");
						WriterFixture.swallowing(() -> application.writer.write(new WriterFixture.Placed("1")));
					}));
			assertThat(otherJdbc.queryForObject("SELECT COUNT(*) FROM business", Long.class)).isZero();
		}
	}

	@Test
	void aWriteRefusedWithinATransactionOfAnotherDataSourceSpoilsOursAroundItToo() {
		try (TestDataSource other = this.database.freshDatabase()) {
			WriterFixture application = WriterFixture.on(this.source.dataSource());
			JdbcTransactionManager otherManager = new JdbcTransactionManager(other.dataSource());
			application.watch(otherManager);
			assertThatExceptionOfType(EventNotWrittenException.class).isThrownBy(() -> application.inTransaction(() -> {
				application.business("1");
				WriterFixture.swallowing(() -> new TransactionTemplate(otherManager)
					.executeWithoutResult((status) -> application.writer.write(new WriterFixture.Placed("1"))));
			}));
			assertThat(application.businessRows()).isZero();
			application.inTransaction(() -> {
				new TransactionTemplate(otherManager).executeWithoutResult((status) -> {
				});
				application.writer.write(new WriterFixture.Placed("2"));
			});
			assertThat(application.events()).isOne();
		}
	}

	@Test
	void aPartOfATransactionThatSaysReadOnlyIsNotReadOnly() {
		WriterFixture application = WriterFixture.on(this.source.dataSource());
		TransactionTemplate readOnly = new TransactionTemplate(application.transactionManager);
		readOnly.setReadOnly(true);
		application.inTransaction(() -> readOnly
			.executeWithoutResult((status) -> application.writer.write(new WriterFixture.Placed("1"))));
		assertThat(application.events()).isOne();
	}

}
