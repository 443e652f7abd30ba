package dev.outbox.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

/**
 * What a database says about its tables, to compare those that came into being in
 * different ways.
 */
final class TableShape {

	private TableShape() {
	}

	/**
	 * The names of all tables in lower case.
	 */
	static Set<String> tables(DataSource dataSource, @Nullable String schema) {
		Set<String> names = new TreeSet<>();
		for (String table : rawTables(dataSource, schema)) {
			names.add(table.toLowerCase(Locale.ROOT));
		}
		return names;
	}

	/**
	 * Columns, primary keys and indexes of the tables that are not Flyway's, one line
	 * each.
	 */
	static Set<String> details(DataSource dataSource, @Nullable String schema) {
		Set<String> lines = new TreeSet<>();
		for (String table : rawTables(dataSource, schema)) {
			if (!table.toLowerCase(Locale.ROOT).endsWith("_schema_history")) {
				read(dataSource, (metaData, catalog, pattern) -> {
					collect(lines, metaData.getColumns(catalog, pattern, table, null), "TABLE_NAME", "COLUMN_NAME",
							"TYPE_NAME", "COLUMN_SIZE", "IS_NULLABLE", "COLUMN_DEF");
					collect(lines, metaData.getPrimaryKeys(catalog, pattern, table), "TABLE_NAME", "COLUMN_NAME",
							"KEY_SEQ", "PK_NAME");
					collect(lines, metaData.getIndexInfo(catalog, pattern, table, false, true), "TABLE_NAME",
							"INDEX_NAME", "ORDINAL_POSITION", "COLUMN_NAME", "NON_UNIQUE", "FILTER_CONDITION");
				}, schema);
			}
		}
		return lines;
	}

	private static Set<String> rawTables(DataSource dataSource, @Nullable String schema) {
		Set<String> names = new TreeSet<>();
		read(dataSource, (metaData, catalog, pattern) -> {
			try (ResultSet rows = metaData.getTables(catalog, pattern, "%", new String[] { "TABLE", "BASE TABLE" })) {
				while (rows.next()) {
					names.add(rows.getString("TABLE_NAME"));
				}
			}
		}, schema);
		names.removeIf((name) -> name.startsWith("sqlite_"));
		return names;
	}

	private static void read(DataSource dataSource, Reader reader, @Nullable String schema) {
		try (Connection connection = dataSource.getConnection()) {
			boolean catalogs = connection.getMetaData().getURL().matches("jdbc:(mariadb|mysql):.*");
			String catalog = (catalogs && schema != null) ? schema : connection.getCatalog();
			String pattern = catalogs ? null : (schema != null) ? schema : connection.getSchema();
			reader.read(connection.getMetaData(), catalog, pattern);
			if (!connection.getAutoCommit()) {
				connection.rollback();
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void collect(Set<String> lines, ResultSet rows, String... columns) throws SQLException {
		try (rows) {
			while (rows.next()) {
				StringBuilder line = new StringBuilder();
				for (String column : columns) {
					line.append(column).append('=').append(rows.getString(column)).append(' ');
				}
				lines.add(line.toString().replaceAll("outbox_test_\\d+", "database"));
			}
		}
	}

	private interface Reader {

		void read(DatabaseMetaData metaData, @Nullable String catalog, @Nullable String schemaPattern)
				throws SQLException;

	}

}
