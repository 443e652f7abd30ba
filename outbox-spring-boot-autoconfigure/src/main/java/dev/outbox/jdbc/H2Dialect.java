package dev.outbox.jdbc;

import java.sql.SQLException;
import java.util.Locale;
import java.util.Set;

/**
 * H2. It can skip locked rows, but a sorted locking query locks all matches, so rows are
 * locked by primary key.
 */
final class H2Dialect implements SqlDialect {

	/**
	 * Table not found, with and without candidates, and schema not found.
	 */
	private static final Set<Integer> MISSING = Set.of(42_102, 42_103, 42_104, 90_079);

	/**
	 * Deadlock, lock timeout, and concurrent update.
	 */
	private static final Set<Integer> TRANSIENT = Set.of(40_001, 50_200, 90_131);

	private final boolean lowerCase;

	H2Dialect(boolean lowerCase) {
		this.lowerCase = lowerCase;
	}

	@Override
	public String name() {
		return "h2";
	}

	@Override
	public String quote(String identifier) {
		return '"' + (this.lowerCase ? identifier.toLowerCase(Locale.ROOT) : identifier.toUpperCase(Locale.ROOT)) + '"';
	}

	@Override
	public String now() {
		return "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000000 AS BIGINT)";
	}

	@Override
	public String fixedColumnsOfOrder() {
		return "owner, status, ";
	}

	@Override
	public boolean isEmbedded() {
		return true;
	}

	@Override
	public boolean isMissingTable(SQLException failure) {
		return MISSING.contains(failure.getErrorCode());
	}

	@Override
	public boolean isDuplicateKey(SQLException failure) {
		return failure.getErrorCode() == 23_505;
	}

	@Override
	public boolean isTransient(SQLException failure) {
		return TRANSIENT.contains(failure.getErrorCode());
	}

}
