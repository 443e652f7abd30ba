package dev.outbox.jdbc;

/**
 * The outbox has no dialect for the database that its DataSource leads to.
 */
public class UnsupportedDatabaseException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	static final String SUPPORTED = "PostgreSQL 12+, MySQL 8.0.17+, MariaDB 10.6+, H2 2.2+ and SQLite 3.42+";

	UnsupportedDatabaseException(String product, String version) {
		super("The outbox does not support the database %s %s. It supports %s".formatted(product, version, SUPPORTED));
	}

}
