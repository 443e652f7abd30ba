package dev.outbox.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;

import javax.sql.DataSource;

import dev.outbox.FailedStart;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.PoolOptions;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link SqlDialects}.
 */
class SqlDialectsTests {

	@EachDatabase
	void findsTheDialectOfARealDatabase(TestDatabase kind) {
		try (TestDataSource database = kind.freshDatabase()) {
			SqlDialect dialect = SqlDialects.detect(database.dataSource());
			assertThat(dialect.name()).isEqualTo(kind.name().toLowerCase(Locale.ROOT));
			assertThat(dialect.isEmbedded()).isEqualTo(kind == TestDatabase.H2 || kind == TestDatabase.SQLITE);
		}
	}

	@EachDatabase(only = TestDatabase.MARIADB)
	void findsMariaDbBehindTheDriverOfMySql(TestDatabase kind) {
		try (TestDataSource database = kind.freshDatabase()) {
			DataSource dataSource = new DriverManagerDataSource(
					database.url().replace("jdbc:mariadb:", "jdbc:mysql:") + "?sslMode=DISABLED", database.username(),
					database.password());
			assertThat(SqlDialects.detect(dataSource).name()).isEqualTo("mariadb");
		}
	}

	@EachDatabase
	void givesTheConnectionBack(TestDatabase kind) {
		try (TestDataSource database = kind.freshDatabase(PoolOptions.defaults().withMaximumPoolSize(1))) {
			SqlDialects.detect(database.dataSource());
			SqlDialects.detect(database.dataSource());
		}
	}

	@EachDatabase
	void quotesNamesSoThatPlainSqlFindsThem(TestDatabase kind) {
		try (TestDataSource database = kind.freshDatabase()) {
			assertPlainSqlFinds(database);
		}
	}

	@Test
	void quotesNamesSoThatPlainSqlFindsThemAlsoInLowerCaseH2() {
		PoolOptions lowerCase = PoolOptions.defaults().withUrlParameter("DATABASE_TO_LOWER", "TRUE");
		try (TestDataSource database = TestDatabase.H2.freshDatabase(lowerCase)) {
			assertThat(SqlDialects.detect(database.dataSource()).quote("Outbox_Event")).isEqualTo("\"outbox_event\"");
			assertPlainSqlFinds(database);
		}
	}

	/**
	 * Time is the database's, in microseconds, whatever the zone of the JVM.
	 */
	@EachDatabase
	void tellsTheTime(TestDatabase kind) {
		try (TestDataSource database = kind.freshDatabase()) {
			SqlDialect dialect = SqlDialects.detect(database.dataSource());
			long before = System.currentTimeMillis();
			Long now = new JdbcTemplate(database.dataSource()).queryForObject("SELECT " + dialect.now(), Long.class);
			assertThat(now).isBetween((before - 1) * 1000, (System.currentTimeMillis() + 1) * 1000);
		}
	}

	@ParameterizedTest
	@CsvSource({ "PostgreSQL, 12.0, 12, 0, postgresql", "PostgreSQL, 18.1, 18, 1, postgresql",
			"MySQL, 8.0.33, 8, 0, mysql", "MySQL, 9.4.0, 9, 4, mysql", "MariaDB, 10.6.1-MariaDB, 10, 6, mariadb",
			"MariaDB, 12.0.2-MariaDB, 12, 0, mariadb", "MySQL, 11.4.5-MariaDB-log, 11, 4, mariadb",
			"H2, 2.2.220, 2, 2, h2", "SQLite, 3.42.0, 3, 42, sqlite" })
	void supportsAllFromTheOldestTestedVersionOn(String product, String version, int major, int minor, String dialect) {
		assertThat(SqlDialects.detect(pretending(product, version, major, minor)).name()).isEqualTo(dialect);
	}

	/**
	 * Until 10.11, MariaDB presents itself to drivers other than its own as a replica of
	 * version 5.5.5, for the sake of old MySQL clients.
	 */
	@Test
	void findsOldMariaDbBehindTheDriverOfMySql() {
		DataSource dataSource = pretending("MySQL", "5.5.5-10.6.18-MariaDB-ubu2004", 5, 5);
		assertThat(SqlDialects.detect(dataSource).name()).isEqualTo("mariadb");
		assertThatExceptionOfType(UnsupportedDatabaseException.class)
			.isThrownBy(() -> SqlDialects.detect(pretending("MySQL", "5.5.5-10.5.9-MariaDB", 5, 5)));
	}

	@ParameterizedTest
	@CsvSource({ "PostgreSQL, 11.22, 11, 22", "MySQL, 5.7.44, 5, 7", "MySQL, 8.0.16, 8, 0",
			"MariaDB, 10.5.9-MariaDB, 10, 5", "H2, 1.4.200, 1, 4", "H2, 2.1.214, 2, 1", "SQLite, 3.41.2, 3, 41",
			"Oracle, 23ai, 23, 0", "Microsoft SQL Server, 16.0, 16, 0" })
	void refusesOthers(String product, String version, int major, int minor) {
		assertThatExceptionOfType(UnsupportedDatabaseException.class)
			.isThrownBy(() -> SqlDialects.detect(pretending(product, version, major, minor)))
			.withMessageContaining(product + " " + version)
			.withMessageContaining("PostgreSQL 12+, MySQL 8.0.17+, MariaDB 10.6+, H2 2.2+ and SQLite 3.42+");
	}

	@Test
	void saysThatTheDatabaseCannotBeReached() {
		DataSource unreachable = proxy(DataSource.class, (proxy, method, arguments) -> {
			throw new SQLException("Connection refused");
		});
		assertThatIllegalStateException().isThrownBy(() -> SqlDialects.detect(unreachable))
			.withMessageContaining("Cannot reach the database of the outbox")
			.withStackTraceContaining("Connection refused");
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void startFailsWithAdviceOnAnotherDatabase(CapturedOutput output) {
		assertThat(FailedStart.report(output, OracleApplication.class))
			.contains("The outbox does not support the database Oracle 23ai")
			.contains("Action:")
			.contains("@OutboxDataSource")
			.contains("a bean of type SqlDialect")
			.contains("PostgreSQL 12+");
	}

	private static void assertPlainSqlFinds(TestDataSource database) {
		SqlDialect dialect = SqlDialects.detect(database.dataSource());
		JdbcTemplate jdbc = new JdbcTemplate(database.dataSource());
		jdbc.execute("CREATE TABLE " + dialect.quote("order") + " (id INT)");
		assertThat(jdbc.queryForList("SELECT id FROM " + dialect.quote("order"))).isEmpty();
		jdbc.execute("CREATE TABLE " + dialect.quote("orders_event") + " (id INT)");
		assertThat(jdbc.queryForList("SELECT id FROM orders_event")).isEmpty();
	}

	private static DataSource pretending(String product, String version, int major, int minor) {
		DatabaseMetaData metaData = proxy(DatabaseMetaData.class,
				(proxy, method, arguments) -> switch (method.getName()) {
					case "getDatabaseProductName" -> product;
					case "getDatabaseProductVersion" -> version;
					case "getDatabaseMajorVersion" -> major;
					case "getDatabaseMinorVersion" -> minor;
					case "storesLowerCaseIdentifiers" -> false;
					default -> throw new UnsupportedOperationException(method.getName());
				});
		Connection connection = proxy(Connection.class, (proxy, method, arguments) -> switch (method.getName()) {
			case "getMetaData" -> metaData;
			case "close" -> null;
			default -> throw new UnsupportedOperationException(method.getName());
		});
		return proxy(DataSource.class, (proxy, method, arguments) -> switch (method.getName()) {
			case "getConnection" -> connection;
			case "hashCode" -> System.identityHashCode(proxy);
			case "equals" -> proxy == arguments[0];
			case "toString" -> product;
			default -> throw new UnsupportedOperationException(method.getName());
		});
	}

	private static <T> T proxy(Class<T> type, InvocationHandler handler) {
		return type
			.cast(Proxy.newProxyInstance(SqlDialectsTests.class.getClassLoader(), new Class<?>[] { type }, handler));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(OutboxJdbcAutoConfiguration.class)
	static class OracleApplication {

		@Bean
		DataSource dataSource() {
			return pretending("Oracle", "23ai", 23, 0);
		}

	}

}
