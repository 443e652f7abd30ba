package dev.outbox.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.jdbc.ShortTransactions;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.PoolOptions;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Contract: what connections of the pool are like while the outbox has them. H2 and
 * SQLite have no network.
 */
@EachDatabase(except = { TestDatabase.H2, TestDatabase.SQLITE })
class OwnConnectionsContractTests {

	private final TestDatabase kind;

	private final OutboxFixture outbox;

	private final TestDataSource poolOfOne;

	OwnConnectionsContractTests(TestDatabase database) {
		this.kind = database;
		this.outbox = OutboxFixture.empty(database);
		this.poolOfOne = this.outbox.source.anotherPool(PoolOptions.defaults().withMaximumPoolSize(1));
	}

	@AfterEach
	void close() {
		this.poolOfOne.close();
	}

	@Test
	void anAnswerIsWaitedForTwiceAsLongAsAStatementMayTakeAndNoLonger() throws SQLException {
		try (Connection connection = this.outbox.source.dataSource().getConnection()) {
			ShortTransactions transactions = OutboxFixture.database(new SingleConnectionDataSource(connection, true))
				.transactions();
			assertThat(transactions.write(() -> networkTimeout(transactions))).isEqualTo(10_000);
			assertThat(transactions.writeOne(() -> networkTimeout(transactions))).isEqualTo(10_000);
			assertThat(networkTimeout(transactions)).isEqualTo(10_000);
			assertThat(connection.getNetworkTimeout()).isZero();
		}
	}

	@Test
	void aShorterTimeLimitStays() throws SQLException {
		try (Connection connection = this.outbox.source.dataSource().getConnection()) {
			connection.setNetworkTimeout(Runnable::run, 7000);
			ShortTransactions transactions = OutboxFixture.database(new SingleConnectionDataSource(connection, true))
				.transactions();
			assertThat(transactions.write(() -> networkTimeout(transactions))).isEqualTo(7000);
			assertThat(connection.getNetworkTimeout()).isEqualTo(7000);
		}
	}

	@Test
	void aConnectionToAServerThatHasBecomeReadOnlyIsNotUsedAgain() {
		OutboxDatabase database = OutboxFixture.database(this.poolOfOne.dataSource());
		for (boolean single : new boolean[] { true, false }) {
			becomeReadOnly();
			assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> forgetNodes(database, single))
				.matches(database.transactions()::isReadOnly);
			assertThat(forgetNodes(database, single)).isZero();
		}
	}

	private void becomeReadOnly() {
		new JdbcTemplate(this.poolOfOne.dataSource()).execute(switch (this.kind) {
			case POSTGRESQL -> "SET default_transaction_read_only = on";
			case MARIADB -> "SET SESSION tx_read_only = 1";
			default -> "SET SESSION transaction_read_only = 1";
		});
	}

	private static int forgetNodes(OutboxDatabase database, boolean single) {
		ShortTransactions transactions = database.transactions();
		String delete = "DELETE FROM " + database.tables().node();
		return single ? transactions.writeOne(() -> transactions.jdbc().getJdbcOperations().update(delete))
				: transactions.write(() -> transactions.jdbc().getJdbcOperations().update(delete));
	}

	private static int networkTimeout(ShortTransactions transactions) {
		Integer timeout = transactions.jdbc()
			.getJdbcOperations()
			.execute((ConnectionCallback<Integer>) Connection::getNetworkTimeout);
		return (timeout != null) ? timeout : -1;
	}

}
