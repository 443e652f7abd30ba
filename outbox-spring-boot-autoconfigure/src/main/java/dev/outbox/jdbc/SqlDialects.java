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

	/**
	 * Old releases of MariaDB put a version of their own in front for the sake of old
	 * clients.
	 */
	private static final Pattern VERSION = Pattern
		.compile("(?:5\\.5\\.5-)?(\\d{1,6})(?:\\.(\\d{1,6}))?(?:\\.(\\d{1,6}))?");

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
		if (Arrays.compare(numbers(version), new int[] { major, minor, patch }) < 0) {
			throw new UnsupportedDatabaseException(metaData.getDatabaseProductName(), version);
		}
		return dialect;
	}

	private static int[] numbers(String version) {
		Matcher matcher = VERSION.matcher(version);
		int[] numbers = new int[3];
		if (matcher.lookingAt()) {
			for (int i = 0; i < numbers.length; i++) {
				String number = matcher.group(i + 1);
				numbers[i] = (number != null) ? Integer.parseInt(number) : 0;
			}
		}
		return numbers;
	}

}
