package dev.outbox.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;

import javax.sql.DataSource;

import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/**
 * Finds the dialect of a database by asking its driver.
 */
public final class SqlDialects {

	private SqlDialects() {
	}

	/**
	 * Ask a connection of the DataSource which database it is.
	 * @param dataSource the DataSource
	 * @return its dialect
	 * @throws UnsupportedDatabaseException if there is no dialect for it
	 */
	public static SqlDialect detect(DataSource dataSource) {
		try {
			return JdbcUtils.extractDatabaseMetaData(dataSource, SqlDialects::of);
		}
		catch (MetaDataAccessException ex) {
			throw new IllegalStateException("Cannot reach the database of the outbox to see which one it is", ex);
		}
	}

	private static SqlDialect of(DatabaseMetaData metaData) throws SQLException {
		String product = metaData.getDatabaseProductName();
		String version = metaData.getDatabaseProductVersion();
		int major = metaData.getDatabaseMajorVersion();
		int minor = metaData.getDatabaseMinorVersion();
		boolean mariaDb = "MariaDB".equals(product) || version.toLowerCase(Locale.ROOT).contains("mariadb");
		if (mariaDb) {
			return atLeast(10, 6, major, minor, product, version, new MySqlDialect("mariadb"));
		}
		return switch (product) {
			case "PostgreSQL" -> atLeast(12, 0, major, minor, product, version, new PostgresDialect());
			case "MySQL" -> atLeast(8, 0, major, minor, product, version, new MySqlDialect("mysql"));
			case "H2" ->
				atLeast(2, 2, major, minor, product, version, new H2Dialect(metaData.storesLowerCaseIdentifiers()));
			case "SQLite" -> atLeast(3, 42, major, minor, product, version, new SqliteDialect());
			default -> throw new UnsupportedDatabaseException(product, version);
		};
	}

	private static SqlDialect atLeast(int requiredMajor, int requiredMinor, int major, int minor, String product,
			String version, SqlDialect dialect) {
		if (major < requiredMajor || (major == requiredMajor && minor < requiredMinor)) {
			throw new UnsupportedDatabaseException(product, version);
		}
		return dialect;
	}

}
