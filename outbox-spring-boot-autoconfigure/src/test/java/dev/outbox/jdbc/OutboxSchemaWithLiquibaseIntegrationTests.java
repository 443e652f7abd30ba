package dev.outbox.jdbc;

import java.util.List;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import liquibase.integration.spring.SpringLiquibase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OutboxSchema} next to the application's Liquibase.
 */
@EachDatabase(only = { TestDatabase.H2, TestDatabase.POSTGRESQL })
class OutboxSchemaWithLiquibaseIntegrationTests {

	private static final String LIQUIBASE = "spring.liquibase.enabled=true";

	@AutoClose
	private final TestDataSource database;

	private final JdbcTemplate jdbc;

	OutboxSchemaWithLiquibaseIntegrationTests(TestDatabase kind) {
		this.database = kind.freshDatabase();
		this.jdbc = new JdbcTemplate(this.database.dataSource());
	}

	@Test
	void bothMigrateAFreshDatabaseAndFindTheirOwnAgain() {
		for (int starts = 1; starts <= 2; starts++) {
			try (ConfigurableApplicationContext context = OrderApplication.start(this.database, LIQUIBASE)) {
				assertThat(context.getBeansOfType(SpringLiquibase.class)).hasSize(1);
				assertThat(context.getBean(OrderApplication.JpaEarlyBird.class).found()).isNotNegative();
			}
			assertThat(changeSets()).containsExactly("1", "2");
			assertThat(count("outbox_event")).isEqualTo(starts);
			assertThat(count("orders")).isZero();
		}
	}

	@Test
	void applicationGetsLiquibaseAfterTheOutbox() {
		OrderApplication.start(this.database).close();
		OrderApplication.start(this.database, LIQUIBASE).close();
		assertThat(changeSets()).containsExactly("1", "2");
		assertThat(count("outbox_event")).isEqualTo(2);
	}

	@Test
	void applicationChangesFromLiquibaseToFlyway() {
		OrderApplication.start(this.database, LIQUIBASE).close();
		OrderApplication
			.start(this.database, "spring.flyway.enabled=true", "spring.flyway.baseline-on-migrate=true",
					"spring.flyway.baseline-version=2")
			.close();
		assertThat(count("outbox_event")).isEqualTo(2);
		assertThat(count("orders")).isZero();
	}

	@Test
	void dropFirstTakesOurTablesAlongOnlyToHaveThemMadeAgain() {
		OrderApplication.start(this.database, LIQUIBASE).close();
		OrderApplication.start(this.database, LIQUIBASE, "spring.liquibase.drop-first=true").close();
		assertThat(count("outbox_event")).isEqualTo(1);
	}

	private List<String> changeSets() {
		return this.jdbc.queryForList("SELECT ID FROM DATABASECHANGELOG ORDER BY ORDEREXECUTED", String.class);
	}

	private int count(String table) {
		return this.jdbc.queryForObject("SELECT COUNT(*) FROM " + table, Integer.class);
	}

}
