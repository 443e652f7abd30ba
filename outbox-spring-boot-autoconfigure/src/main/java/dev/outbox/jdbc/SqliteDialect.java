package dev.outbox.jdbc;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

/**
 * SQLite: one writer at a time. A transaction that has read cannot become the writer once
 * another has written, so ours write first.
 */
final class SqliteDialect implements SqlDialect {

	private static final int BUSY = 5;

	private static final int LOCKED = 6;

	private static final int CONSTRAINT = 19;

	@Override
	public String name() {
		return "sqlite";
	}

	@Override
	public String quote(String identifier) {
		return '"' + identifier + '"';
	}

	@Override
	public String now() {
		return "CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000";
	}

	@Override
	public boolean canReturnUpdatedRows() {
		return true;
	}

	@Override
	public String forUpdateSkipLocked() {
		return "";
	}

	@Override
	public @Nullable String beginWriting(OutboxTables tables) {
		return "UPDATE " + tables.meta() + " SET meta_value = meta_value WHERE meta_name = ''";
	}

	@Override
	public int maxParameters() {
		return 32_766;
	}

	@Override
	public boolean hasSchemas() {
		return false;
	}

	@Override
	public boolean isEmbedded() {
		return true;
	}

	@Override
	public boolean isMissingTable(SQLException failure) {
		return String.valueOf(failure.getMessage()).contains("no such table");
	}

	@Override
	public boolean isDuplicateKey(SQLException failure) {
		return (failure.getErrorCode() & 0xff) == CONSTRAINT
				&& String.valueOf(failure.getMessage()).contains("UNIQUE constraint failed");
	}

	@Override
	public boolean isTransient(SQLException failure) {
		int primaryCode = failure.getErrorCode() & 0xff;
		return primaryCode == BUSY || primaryCode == LOCKED;
	}

}
