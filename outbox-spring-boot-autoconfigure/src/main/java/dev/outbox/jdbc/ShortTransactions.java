package dev.outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;

import javax.sql.DataSource;

import dev.outbox.jdbc.OwnConnections.OwnConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The outbox's own transactions, apart from those of the application: short, at READ
 * COMMITTED whatever the pool's default is, and run again when the database reports a
 * deadlock or a serialization failure.
 */
public final class ShortTransactions {

	private static final int MAX_TRIES = 8;

	private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private final SqlDialect dialect;

	private final DataSource connections;

	private final TransactionTemplate transaction;

	private final TransactionTemplate noTransaction;

	private final NamedParameterJdbcTemplate jdbc;

	private final @Nullable String beginWriting;

	private volatile @Nullable Commit commit;

	public ShortTransactions(DataSource dataSource, SqlDialect dialect, OutboxTables tables, Duration queryTimeout) {
		this.dialect = dialect;
		this.beginWriting = dialect.beginWriting(tables);
		this.connections = new OwnConnections(dataSource, queryTimeout.multipliedBy(2));
		this.transaction = new TransactionTemplate(new JdbcTransactionManager(this.connections));
		this.transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		this.noTransaction = new TransactionTemplate(new JdbcTransactionManager(this.connections));
		this.noTransaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
		JdbcTemplate template = new JdbcTemplate(this.connections);
		template.setQueryTimeout((int) Math.max(1, (queryTimeout.toMillis() + 999) / 1000));
		this.jdbc = new NamedParameterJdbcTemplate(template);
	}

	/**
	 * Return what runs statements in the current one of these transactions, or by
	 * themselves outside of one.
	 * @return the operations
	 */
	public NamedParameterJdbcOperations jdbc() {
		return this.jdbc;
	}

	/**
	 * Run work that writes in a transaction of its own. It may be run more than once, so
	 * it must not leave traces outside of the database before it returns.
	 * @param <T> the type of the result
	 * @param work the work
	 * @return its result
	 */
	public <T> T write(Supplier<T> work) {
		return run(this.transaction, () -> {
			if (this.beginWriting != null) {
				this.jdbc.getJdbcOperations().update(this.beginWriting);
			}
			return work.get();
		});
	}

	/**
	 * Run a single statement that writes. Where connections commit each statement and are
	 * at READ COMMITTED anyway, it is all that is sent to the database.
	 * @param <T> the type of the result
	 * @param statement runs the statement
	 * @return its result
	 */
	public <T> T writeOne(Supplier<T> statement) {
		return (commit() == Commit.EACH_STATEMENT_READ_COMMITTED) ? run(this.noTransaction, statement)
				: write(statement);
	}

	/**
	 * Run a single statement that writes to rows that it names by their primary key. It
	 * locks nothing else at any level of isolation, so it is all that is sent to the
	 * database where connections commit each statement.
	 * @param <T> the type of the result
	 * @param statement runs the statement
	 * @return its result
	 */
	public <T> T writeByKey(Supplier<T> statement) {
		return (commit() != Commit.BY_TRANSACTION) ? run(this.noTransaction, statement) : write(statement);
	}

	private Commit commit() {
		Commit known = this.commit;
		if (known == null) {
			known = (this.beginWriting != null) ? Commit.BY_TRANSACTION : run(this.noTransaction, () -> Objects
				.requireNonNull(this.jdbc.getJdbcOperations().execute((ConnectionCallback<Commit>) Commit::of)));
			this.commit = known;
		}
		return known;
	}

	private <T> T run(TransactionTemplate template, Supplier<T> work) {
		for (int tries = 1;; tries++) {
			try {
				return Objects.requireNonNull(template.execute((status) -> leavingReadOnly(work)));
			}
			catch (RuntimeException ex) {
				if (tries == MAX_TRIES || !isTransient(ex) || Thread.currentThread().isInterrupted()) {
					throw ex;
				}
				pause(tries);
			}
		}
	}

	/**
	 * A server that has become read-only, as after a failover, stays what it is: close
	 * the connection, so that the next one may lead to another.
	 */
	private <T> T leavingReadOnly(Supplier<T> work) {
		try {
			return work.get();
		}
		catch (RuntimeException ex) {
			if (isReadOnly(ex)) {
				Connection connection = DataSourceUtils.getConnection(this.connections);
				if (connection instanceof OwnConnection own) {
					own.discard();
				}
				DataSourceUtils.releaseConnection(connection, this.connections);
			}
			throw ex;
		}
	}

	/**
	 * Return whether work failed because nothing can be written to the server it met.
	 * @param failure the failure
	 * @return whether the server is read-only
	 */
	public boolean isReadOnly(Throwable failure) {
		return hasCause(failure, this.dialect::isReadOnly);
	}

	private boolean isTransient(Throwable failure) {
		return failure instanceof ConcurrencyFailureException || hasCause(failure, this.dialect::isTransient);
	}

	private static boolean hasCause(Throwable failure, Predicate<SQLException> which) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof SQLException sqlException && which.test(sqlException)) {
				return true;
			}
		}
		return false;
	}

	private static void pause(int tries) {
		long bound = FIRST_PAUSE_NANOS << Math.min(tries, 6);
		LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(bound / 2, bound));
	}

	/**
	 * How the connections of the pool commit.
	 */
	private enum Commit {

		BY_TRANSACTION, EACH_STATEMENT, EACH_STATEMENT_READ_COMMITTED;

		static Commit of(Connection connection) throws SQLException {
			if (!connection.getAutoCommit()) {
				return BY_TRANSACTION;
			}
			return (connection.getTransactionIsolation() == Connection.TRANSACTION_READ_COMMITTED)
					? EACH_STATEMENT_READ_COMMITTED : EACH_STATEMENT;
		}

	}

}
