package dev.outbox.testsupport;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what is special about MariaDB and MySQL.
 */
class MySqlFamilyTests {

	@EachDatabase(only = { TestDatabase.MARIADB, TestDatabase.MYSQL })
	void urlParametersReachTheDriver(TestDatabase kind) {
		PoolOptions affectedRows = PoolOptions.defaults().withUrlParameter("useAffectedRows", "true");
		try (TestDataSource database = kind.freshDatabase();
				TestDataSource other = database.anotherPool(affectedRows)) {
			JdbcClient client = JdbcClient.create(database.dataSource());
			client.sql("CREATE TABLE thing (id INT PRIMARY KEY)").update();
			client.sql("INSERT INTO thing (id) VALUES (1)").update();
			assertThat(client.sql("UPDATE thing SET id = id").update()).isEqualTo(1);
			assertThat(JdbcClient.create(other.dataSource()).sql("UPDATE thing SET id = id").update()).isZero();
		}
	}

	@EachDatabase(only = TestDatabase.MARIADB)
	void mariaDbHasNoFriendlierDefaultsThanItsVendorGivesIt(TestDatabase kind) {
		try (TestDataSource database = kind.freshDatabase()) {
			assertThat(JdbcClient.create(database.dataSource())
				.sql("SELECT CONCAT(@@character_set_server, ' ', @@transaction_isolation)")
				.query(String.class)
				.single()).isEqualTo("latin1 REPEATABLE-READ");
		}
	}

}
