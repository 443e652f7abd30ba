package dev.outbox.testsupport;

import java.sql.Connection;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Map;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link TestDatabase}.
 */
@EachDatabase
class TestDatabaseTests {

	private static final Map<TestDatabase, String> PRODUCTS = Map.of(TestDatabase.POSTGRESQL, "PostgreSQL",
			TestDatabase.MARIADB, "MariaDB", TestDatabase.MYSQL, "MySQL", TestDatabase.H2, "H2", TestDatabase.SQLITE,
			"SQLite");

	private final TestDatabase kind;

	@AutoClose
	private final TestDataSource database;

	TestDatabaseTests(TestDatabase kind) {
		this.kind = kind;
		this.database = kind.freshDatabase();
	}

	@Test
	void isTheRealProduct() throws Exception {
		try (Connection connection = this.database.dataSource().getConnection()) {
			assertThat(connection.getMetaData().getDatabaseProductName()).isEqualTo(PRODUCTS.get(this.kind));
		}
		assertThat(this.database.database()).isEqualTo(this.kind);
	}

	@Test
	void freshDatabasesDoNotSeeEachOther() {
		createTable(this.database);
		try (TestDataSource other = this.kind.freshDatabase()) {
			createTable(other);
			insert(other, 1);
			insert(other, 2);
			assertThat(count(other)).isEqualTo(2);
		}
		assertThat(count(this.database)).isZero();
	}

	@Test
	void freshDatabasesAreEmptyWhateverEarlierTestsLeft() {
		for (int i = 0; i < 3; i++) {
			try (TestDataSource next = this.kind.freshDatabase()) {
				createTable(next);
				insert(next, 1);
				assertThat(count(next)).isEqualTo(1);
			}
		}
	}

	@Test
	void anotherPoolSeesTheSameDatabaseAndLeavesItAlone() {
		createTable(this.database);
		try (TestDataSource other = this.database.anotherPool()) {
			insert(other, 1);
		}
		assertThat(count(this.database)).isEqualTo(1);
	}

	@Test
	void poolIsAsLargeAsWanted() throws Exception {
		PoolOptions one = PoolOptions.defaults().withMaximumPoolSize(1).withConnectionTimeout(Duration.ofMillis(250));
		try (TestDataSource small = this.database.anotherPool(one);
				Connection connection = small.dataSource().getConnection()) {
			assertThat(connection.isValid(5)).isTrue();
			assertThatExceptionOfType(SQLTransientConnectionException.class)
				.isThrownBy(() -> small.dataSource().getConnection());
		}
	}

	@Test
	void connectionsCommitByThemselvesOnlyIfWanted() throws Exception {
		try (Connection connection = this.database.dataSource().getConnection()) {
			assertThat(connection.getAutoCommit()).isTrue();
		}
		try (TestDataSource manual = this.database.anotherPool(PoolOptions.defaults().withAutoCommit(false));
				Connection connection = manual.dataSource().getConnection()) {
			assertThat(connection.getAutoCommit()).isFalse();
		}
	}

	@Test
	void urlAndCredentialsAreEnoughToConnect() {
		createTable(this.database);
		try (HikariDataSource own = new HikariDataSource()) {
			own.setJdbcUrl(this.database.url());
			own.setUsername(this.database.username());
			own.setPassword(this.database.password());
			assertThat(JdbcClient.create(own).sql("SELECT COUNT(*) FROM thing").query(Integer.class).single()).isZero();
		}
	}

	private static void createTable(TestDataSource database) {
		client(database).sql("CREATE TABLE thing (id INT PRIMARY KEY)").update();
	}

	private static void insert(TestDataSource database, int id) {
		client(database).sql("INSERT INTO thing (id) VALUES (?)").param(id).update();
	}

	private static int count(TestDataSource database) {
		return client(database).sql("SELECT COUNT(*) FROM thing").query(Integer.class).single();
	}

	private static JdbcClient client(TestDataSource database) {
		return JdbcClient.create(database.dataSource());
	}

}
