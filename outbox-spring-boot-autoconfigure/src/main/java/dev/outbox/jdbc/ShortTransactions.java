package dev.outbox.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
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

	private final TransactionTemplate transaction;

	private final NamedParameterJdbcTemplate jdbc;

	private final @Nullable String beginWriting;

	public ShortTransactions(DataSource dataSource, SqlDialect dialect, OutboxTables tables, Duration queryTimeout) {
		this.dialect = dialect;
		this.beginWriting = dialect.beginWriting(tables);
		this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
		this.transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		JdbcTemplate template = new JdbcTemplate(dataSource);
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
		for (int tries = 1;; tries++) {
			try {
				T result = this.transaction.execute((status) -> {
					if (this.beginWriting != null) {
						this.jdbc.getJdbcOperations().update(this.beginWriting);
					}
					return work.get();
				});
				return Objects.requireNonNull(result);
			}
			catch (RuntimeException ex) {
				if (tries == MAX_TRIES || !isTransient(ex) || Thread.currentThread().isInterrupted()) {
					throw ex;
				}
				pause(tries);
			}
		}
	}

	private boolean isTransient(Throwable failure) {
		if (failure instanceof ConcurrencyFailureException) {
			return true;
		}
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof SQLException sqlException && this.dialect.isTransient(sqlException)) {
				return true;
			}
		}
		return false;
	}

	private static void pause(int tries) {
		long bound = FIRST_PAUSE_NANOS << Math.min(tries, 6);
		LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(bound / 2, bound));
	}

}
