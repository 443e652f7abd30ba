package dev.outbox.testsupport;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link PostgresServer}, which uses its databases again.
 */
class PostgresServerTests {

	private static final String OBJECTS = """
			SELECT COUNT(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
			WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
			""";

	@EachDatabase(only = TestDatabase.POSTGRESQL)
	void databaseThatIsUsedAgainIsEmptyAndOutOfReachOfItsFormerUsers(TestDatabase kind) throws Exception {
		TestDataSource former = kind.freshDatabase();
		try (Connection leaked = connect(former); Statement statement = leaked.createStatement()) {
			statement.execute("CREATE SCHEMA other");
			statement.execute("CREATE TABLE other.thing (id INT PRIMARY KEY)");
			statement.execute("CREATE TABLE thing (id INT PRIMARY KEY)");
			leaked.setAutoCommit(false);
			statement.execute("INSERT INTO thing VALUES (1)");
			former.close();
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> statement.execute("SELECT 1"));
		}
		assertThatExceptionOfType(SQLException.class).isThrownBy(() -> connect(former))
			.withMessageContaining("does not exist");
		try (TestDataSource next = kind.freshDatabase()) {
			JdbcClient client = JdbcClient.create(next.dataSource());
			assertThat(client.sql(OBJECTS).query(Integer.class).single()).isZero();
			assertThat(client.sql("SELECT current_schema()").query(String.class).single()).isEqualTo("public");
		}
	}

	private static Connection connect(TestDataSource database) throws SQLException {
		return DriverManager.getConnection(database.url(), database.username(), database.password());
	}

}
