package dev.outbox.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Supplier;

import javax.sql.DataSource;

import dev.outbox.jdbc.ShortTransactions;
import dev.outbox.node.NodeTable;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.PoolOptions;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract: our own transactions are READ COMMITTED, whatever the pool says.
 */
@EachDatabase(except = TestDatabase.SQLITE)
class IsolationContractTests {

	private final OutboxFixture outbox;

	IsolationContractTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
	}

	@Test
	void ourTransactionsAreReadCommitted() {
		String question = switch (this.outbox.source.database()) {
			case POSTGRESQL -> "SHOW transaction_isolation";
			case MARIADB -> "SELECT @@tx_isolation";
			case MYSQL -> "SELECT @@transaction_isolation";
			default -> "SELECT ISOLATION_LEVEL FROM INFORMATION_SCHEMA.SESSIONS WHERE SESSION_ID = SESSION_ID()";
		};
		DataSource serializable = new Serializable(this.outbox.source.dataSource());
		ShortTransactions transactions = OutboxFixture.database(serializable).transactions();
		Supplier<String> isolation = () -> String
			.valueOf(new JdbcTemplate(serializable).queryForObject(question, String.class));
		assertThat(transactions.write(isolation)).matches("(?i)read.committed");
		assertThat(transactions.writeOne(isolation)).matches("(?i)read.committed");
		assertThat(transactions.writeByKey(isolation)).as("it locks nothing but what it names")
			.matches("(?i)serializable");
	}

	@Test
	void singleStatementsAreCommittedByPoolsThatDoNotCommitThem() {
		try (TestDataSource manual = this.outbox.source.anotherPool(PoolOptions.defaults().withAutoCommit(false))) {
			new NodeTable(OutboxFixture.database(manual.dataSource())).register(7, "seven", Duration.ofMinutes(1));
		}
		assertThat(this.outbox.jdbc.queryForObject("SELECT COUNT(*) FROM outbox_node WHERE node_id = 7", Integer.class))
			.isOne();
	}

	/**
	 * A pool with a default of its own that is not ours on any database.
	 */
	private static final class Serializable extends DelegatingDataSource {

		Serializable(DataSource target) {
			super(target);
		}

		@Override
		public Connection getConnection() throws SQLException {
			Connection connection = super.getConnection();
			connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
			return connection;
		}

	}

}
