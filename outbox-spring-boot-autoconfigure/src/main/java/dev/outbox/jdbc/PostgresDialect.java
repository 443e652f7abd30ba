package dev.outbox.jdbc;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Set;

/**
 * PostgreSQL: partial indexes, {@code RETURNING} and {@code SKIP LOCKED}.
 */
final class PostgresDialect implements SqlDialect {

	/**
	 * Undefined table, and invalid schema name.
	 */
	private static final Set<String> MISSING = Set.of("42P01", "3F000");

	private static final Set<String> TRANSIENT = Set.of("40001", "40P01", "55P03");

	@Override
	public String name() {
		return "postgresql";
	}

	@Override
	public String quote(String identifier) {
		return '"' + identifier.toLowerCase(Locale.ROOT) + '"';
	}

	/**
	 * Not {@code clock_timestamp()}: an index cannot be searched by a volatile function.
	 */
	@Override
	public String now() {
		return "(extract(epoch from statement_timestamp()) * 1000000)::bigint";
	}

	@Override
	public boolean canReturnUpdatedRows() {
		return true;
	}

	@Override
	public boolean isMissingTable(SQLException failure) {
		return MISSING.contains(String.valueOf(failure.getSQLState()));
	}

	@Override
	public boolean isDuplicateKey(SQLException failure) {
		return "23505".equals(failure.getSQLState());
	}

	@Override
	public String positionFunction() {
		return "strpos";
	}

	@Override
	public boolean isTransient(SQLException failure) {
		return TRANSIENT.contains(String.valueOf(failure.getSQLState()));
	}

}
