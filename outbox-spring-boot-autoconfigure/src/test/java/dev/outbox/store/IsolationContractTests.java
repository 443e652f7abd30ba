package dev.outbox.store;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

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
		assertThat(this.outbox.database.transactions()
			.write(() -> String.valueOf(this.outbox.jdbc.queryForObject(question, String.class))))
			.matches("(?i)read.committed");
	}

}
