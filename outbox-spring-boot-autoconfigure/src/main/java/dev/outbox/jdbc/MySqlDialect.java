package dev.outbox.jdbc;

import java.sql.SQLException;
import java.util.Set;

/**
 * MySQL and MariaDB, which differ in their schema scripts only. Neither can return the
 * rows of an update, and both lock what they sort, so rows are found by a plain read and
 * then locked by primary key.
 */
final class MySqlDialect implements SqlDialect {

	/**
	 * No such table, and unknown database.
	 */
	private static final Set<Integer> MISSING = Set.of(1146, 1049);

	/**
	 * Lock wait timeout, deadlock, and "record has changed since last read".
	 */
	private static final Set<Integer> TRANSIENT = Set.of(1205, 1213, 1020);

	/**
	 * Started with --read-only, read-only transaction, and read-only mode.
	 */
	private static final Set<Integer> READ_ONLY = Set.of(1290, 1792, 1836);

	private static final int INCORRECT_STRING = 1366;

	private final String name;

	MySqlDialect(String name) {
		this.name = name;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public String quote(String identifier) {
		return '`' + identifier + '`';
	}

	@Override
	public String now() {
		return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";
	}

	@Override
	public String byPrimaryKey() {
		return "FORCE INDEX (PRIMARY)";
	}

	@Override
	public boolean isMissingTable(SQLException failure) {
		return MISSING.contains(failure.getErrorCode());
	}

	@Override
	public boolean isDuplicateKey(SQLException failure) {
		return failure.getErrorCode() == 1062;
	}

	@Override
	public boolean isUnfitValue(SQLException failure) {
		return failure.getErrorCode() == INCORRECT_STRING || SqlDialect.super.isUnfitValue(failure);
	}

	@Override
	public boolean isTransient(SQLException failure) {
		return TRANSIENT.contains(failure.getErrorCode()) || "40001".equals(failure.getSQLState());
	}

	@Override
	public boolean isReadOnly(SQLException failure) {
		return READ_ONLY.contains(failure.getErrorCode());
	}

}
