package dev.outbox.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/**
 * Finds the dialect of a database by asking its driver.
 */
public final class SqlDialects {

	private static final Pattern PATCH = Pattern.compile("\\d+\\.\\d+\\.(\\d{1,6})");

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
		if ("MariaDB".equals(product) || version.toLowerCase(Locale.ROOT).contains("mariadb")) {
			return require(metaData, 10, 6, 0, new MySqlDialect("mariadb"));
		}
		return switch (product) {
			case "PostgreSQL" -> require(metaData, 12, 0, 0, new PostgresDialect());
			case "MySQL" -> require(metaData, 8, 0, 17, new MySqlDialect("mysql"));
			case "H2" -> require(metaData, 2, 2, 0, new H2Dialect(metaData.storesLowerCaseIdentifiers()));
			case "SQLite" -> require(metaData, 3, 42, 0, new SqliteDialect());
			default -> throw new UnsupportedDatabaseException(product, version);
		};
	}

	private static SqlDialect require(DatabaseMetaData metaData, int major, int minor, int patch, SqlDialect dialect)
			throws SQLException {
		String version = metaData.getDatabaseProductVersion();
		int[] required = { major, minor, patch };
		int[] actual = { metaData.getDatabaseMajorVersion(), metaData.getDatabaseMinorVersion(), patchOf(version) };
		if (Arrays.compare(actual, required) < 0) {
			throw new UnsupportedDatabaseException(metaData.getDatabaseProductName(), version);
		}
		return dialect;
	}

	private static int patchOf(String version) {
		Matcher matcher = PATCH.matcher(version);
		return matcher.lookingAt() ? Integer.parseInt(matcher.group(1)) : 0;
	}

}
