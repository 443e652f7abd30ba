package dev.outbox.jdbc;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;

import javax.sql.DataSource;

import dev.outbox.EventEnvelope;
import dev.outbox.store.EventAdmin;
import dev.outbox.store.EventAppender;
import dev.outbox.store.NewEvent;
import dev.outbox.testsupport.PoolOptions;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the outbox on H2 in the modes in which applications use it to stand in for
 * another database.
 */
class H2ModesIntegrationTests {

	@ParameterizedTest
	@ValueSource(strings = { "MODE=REGULAR", "MODE=STRICT", "MODE=LEGACY", "MODE=PostgreSQL", "MODE=MySQL",
			"MODE=MariaDB", "MODE=Oracle", "MODE=MSSQLServer", "MODE=DB2", "MODE=Derby", "MODE=HSQLDB",
			"MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH",
			"MODE=MySQL;DATABASE_TO_LOWER=TRUE;CASE_INSENSITIVE_IDENTIFIERS=TRUE", "DATABASE_TO_UPPER=FALSE" })
	void eventsAreWrittenAndRead(String mode) {
		for (boolean withFlyway : new boolean[] { true, false }) {
			String[] parameters = mode.split(";");
			PoolOptions options = PoolOptions.defaults();
			for (String parameter : parameters) {
				options = options.withUrlParameter(parameter.replaceFirst("=.*", ""),
						parameter.replaceFirst(".*=", ""));
			}
			try (TestDataSource database = TestDatabase.H2.freshDatabase(options)) {
				writeAndRead(database.dataSource(), withFlyway);
			}
		}
	}

	private static void writeAndRead(DataSource dataSource, boolean withFlyway) {
		SqlDialect dialect = SqlDialects.detect(dataSource);
		OutboxTables tables = new OutboxTables(dialect, null, "outbox_event");
		new OutboxSchema(dataSource, dialect, tables, SchemaMode.MIGRATE).migrate(withFlyway);
		new OutboxSchema(dataSource, dialect, tables, SchemaMode.VALIDATE).afterPropertiesSet();
		OutboxDatabase outbox = new OutboxDatabase(dataSource, dialect, tables,
				new ShortTransactions(dataSource, dialect, tables, Duration.ofSeconds(5)));
		EventEnvelope event = EventEnvelope.ofJson("T", "{}");
		new JdbcTemplate(dataSource).execute((Connection connection) -> {
			new EventAppender(outbox).append(connection, List.of(new NewEvent(event, 0, null)));
			return true;
		});
		assertThat(new EventAdmin(outbox).get(event.eventId()).payload()).isEqualTo(event.payload());
		assertThat(new JdbcTemplate(dataSource)
			.queryForObject("SELECT created_at - %s FROM %s".formatted(dialect.now(), tables.event()), Long.class))
			.isBetween(-60_000_000L, 0L);
	}

}
