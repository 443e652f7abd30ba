package dev.outbox.jdbc;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

/**
 * What differs between databases, and only that. The one in use is detected from the
 * connection; a bean of this type replaces it.
 */
public interface SqlDialect {

	/**
	 * Return the name of the database, which is also the name of the directory with its
	 * schema scripts.
	 * @return the name, for example {@code postgresql}
	 */
	String name();

	/**
	 * Return a validated identifier as it must stand in a statement: folded the way the
	 * database folds unquoted identifiers, so that plain SQL finds it, and quoted, so
	 * that reserved words work.
	 * @param identifier a validated table, schema or index name
	 * @return the quoted name
	 */
	String quote(String identifier);

	/**
	 * Return an expression for the database's present time in microseconds since 1970,
	 * independent of any time zone setting.
	 * @return a {@code BIGINT} expression
	 */
	String now();

	/**
	 * Return the columns that an order must begin with, although they are fixed by the
	 * condition, for the database to see that its index has that order already.
	 * @return the columns, each followed by a comma, or an empty string
	 */
	default String fixedColumnsOfOrder() {
		return "";
	}

	/**
	 * Return whether {@code UPDATE … RETURNING} works, so that rows can be claimed and
	 * read by one statement. Otherwise they are locked by primary key first.
	 * @return whether an update can return rows
	 */
	default boolean canReturnUpdatedRows() {
		return false;
	}

	/**
	 * Return the clause that locks the rows of a query and passes over rows that others
	 * have locked.
	 * @return the clause, or an empty string where writers exclude each other anyway
	 */
	default String forUpdateSkipLocked() {
		return "FOR UPDATE SKIP LOCKED";
	}

	/**
	 * Return the hint that keeps a look-up by a list of ids on the primary key, so that
	 * no other row is locked on the way.
	 * @return the hint that follows the table name, or an empty string
	 */
	default String byPrimaryKey() {
		return "";
	}

	/**
	 * Return a statement that takes the write lock at the start of a transaction, for
	 * databases where a transaction that reads first may not be allowed to write later.
	 * @param tables the tables
	 * @return the statement, or {@code null} if none is needed
	 */
	default @Nullable String beginWriting(OutboxTables tables) {
		return null;
	}

	/**
	 * Return how many parameters a statement may have.
	 * @return the number
	 */
	default int maxParameters() {
		return 65_535;
	}

	/**
	 * Return whether a schema can be named for the tables.
	 * @return whether {@code outbox.schema.name} can be used
	 */
	default boolean hasSchemas() {
		return true;
	}

	/**
	 * Return whether the database usually belongs to the application alone, so that its
	 * tables are created without being asked for.
	 * @return whether it is an embedded database
	 */
	default boolean isEmbedded() {
		return false;
	}

	/**
	 * Return whether a statement failed because a table or its schema does not exist.
	 * @param failure the failure
	 * @return whether the table is missing
	 */
	boolean isMissingTable(SQLException failure);

	/**
	 * Return whether an insert failed because a row with its key is there already.
	 * @param failure the failure
	 * @return whether the key is taken
	 */
	boolean isDuplicateKey(SQLException failure);

	/**
	 * Return whether a statement failed because of a value in it, which the message may
	 * quote.
	 * @param failure the failure
	 * @return whether a value was refused
	 */
	default boolean isUnfitValue(SQLException failure) {
		return String.valueOf(failure.getSQLState()).startsWith("22");
	}

	/**
	 * Return the function that tells at which place the first text contains the second.
	 * @return the name of the function, which returns 0 if it does not
	 */
	default String positionFunction() {
		return "INSTR";
	}

	/**
	 * Return whether a statement failed only because of what others did at the same time,
	 * so that its transaction succeeds when run again.
	 * @param failure the failure
	 * @return whether to try again
	 */
	boolean isTransient(SQLException failure);

	/**
	 * Return whether a statement failed because its server, or all that is done there,
	 * has become read-only.
	 * @param failure the failure
	 * @return whether nothing can be written there
	 */
	default boolean isReadOnly(SQLException failure) {
		return "25006".equals(failure.getSQLState());
	}

}
