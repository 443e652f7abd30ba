package dev.outbox.jdbc;

import java.time.Duration;

import javax.sql.DataSource;

/**
 * The database of one outbox: where it is, how it speaks, and what its tables are called.
 *
 * @param dataSource the DataSource whose transactions events are written in
 * @param dialect what is particular about the database
 * @param tables the names of the tables
 * @param transactions the outbox's own transactions
 */
public record OutboxDatabase(DataSource dataSource, SqlDialect dialect, OutboxTables tables,
		ShortTransactions transactions) {

	/**
	 * Describe the database of an outbox.
	 * @param dataSource the DataSource whose transactions events are written in
	 * @param dialect what is particular about the database
	 * @param properties where the tables are
	 * @return the database
	 */
	public static OutboxDatabase of(DataSource dataSource, SqlDialect dialect, OutboxProperties properties) {
		OutboxTables tables = new OutboxTables(dialect, properties.schema().name(), properties.table());
		return new OutboxDatabase(dataSource, dialect, tables,
				new ShortTransactions(dataSource, dialect, tables, properties.jdbc().queryTimeout()));
	}

	/**
	 * Describe the same database as it is reached through another DataSource.
	 * @param other the other DataSource
	 * @param queryTimeout how long a statement may take there
	 * @return the database
	 */
	public OutboxDatabase through(DataSource other, Duration queryTimeout) {
		return new OutboxDatabase(other, this.dialect, this.tables,
				new ShortTransactions(other, this.dialect, this.tables, queryTimeout));
	}

}
