package dev.outbox.jdbc;

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

}
