package dev.outbox.jdbc;

import java.util.List;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OutboxSchema} next to the application's own Flyway.
 */
@EachDatabase(only = { TestDatabase.H2, TestDatabase.POSTGRESQL })
class OutboxSchemaWithFlywayIntegrationTests {

	private static final String FLYWAY = "spring.flyway.enabled=true";

	private static final String BASELINE = "spring.flyway.baseline-on-migrate=true";

	@AutoClose
	private final TestDataSource database;

	private final JdbcTemplate jdbc;

	OutboxSchemaWithFlywayIntegrationTests(TestDatabase kind) {
		this.database = kind.freshDatabase();
		this.jdbc = new JdbcTemplate(this.database.dataSource());
	}

	@Test
	void bothMigrateAFreshDatabaseAndKeepApart() {
		try (ConfigurableApplicationContext context = OrderApplication.start(this.database, FLYWAY)) {
			assertThat(context.getBeansOfType(Flyway.class)).containsOnlyKeys("flyway");
			assertThat(context.getBean(Flyway.class).info().applied()).extracting(MigrationInfo::getScript)
				.containsExactly("V1__create_orders.sql", "V2__add_item.sql");
			assertThat(context.getBean(Flyway.class).info().pending()).isEmpty();
		}
		assertHistories();
	}

	@Test
	void bothFindTheirOwnWhenStartedAgain() {
		for (int starts = 0; starts < 3; starts++) {
			OrderApplication.start(this.database, FLYWAY).close();
		}
		assertHistories();
		assertThat(count("outbox_event")).isEqualTo(3);
	}

	@Test
	void applicationGetsFlywayAfterTheOutbox() {
		OrderApplication.start(this.database).close();
		assertThat(scripts("outbox_schema_history")).contains("V1__create_outbox.sql");
		try (ConfigurableApplicationContext context = OrderApplication.start(this.database, FLYWAY, BASELINE,
				"spring.flyway.baseline-version=0")) {
			assertThat(context.getBean(Flyway.class).info().pending()).isEmpty();
		}
		assertThat(count("orders")).isZero();
		assertThat(scripts("flyway_schema_history")).contains("V1__create_orders.sql", "V2__add_item.sql")
			.noneMatch((script) -> script.contains("outbox"));
		OrderApplication.start(this.database, FLYWAY, BASELINE, "spring.flyway.baseline-version=0").close();
	}

	@Test
	void applicationGetsTheOutboxAfterFlyway() {
		Flyway.configure()
			.dataSource(this.database.dataSource())
			.locations("classpath:db/orders/flyway")
			.load()
			.migrate();
		OrderApplication.start(this.database, FLYWAY).close();
		assertHistories();
	}

	@Test
	void applicationGetsAnotherMigrationLater() {
		OrderApplication.start(this.database, FLYWAY, "spring.flyway.target=1").close();
		assertThat(scripts("flyway_schema_history")).containsExactly("V1__create_orders.sql");
		OrderApplication.start(this.database, FLYWAY).close();
		assertHistories();
	}

	@Test
	void beansThatNeedTheTablesSeeThem() {
		try (ConfigurableApplicationContext context = OrderApplication.start(this.database, FLYWAY)) {
			assertThat(context.getBean(OrderApplication.JpaEarlyBird.class).found()).isNotNegative();
			assertThat(count("outbox_event")).isEqualTo(1);
		}
	}

	@Test
	void beansThatNeedTheTablesSeeThemWithoutAnyOtherMigration() {
		try (ConfigurableApplicationContext context = OrderApplication.start(this.database)) {
			assertThat(context.getBean(OrderApplication.JpaEarlyBird.class).found()).isNotNegative();
			assertThat(count("outbox_event")).isEqualTo(1);
		}
	}

	/**
	 * The properties of the application's Flyway are not ours.
	 */
	@Test
	void settingsOfTheApplicationsFlywayDoNotReachOurs() {
		OrderApplication
			.start(this.database, FLYWAY, "spring.flyway.table=my_history", "spring.flyway.sql-migration-prefix=V",
					"spring.flyway.validate-on-migrate=false", "spring.flyway.out-of-order=true")
			.close();
		assertThat(scripts("my_history")).containsExactly("V1__create_orders.sql", "V2__add_item.sql");
		assertThat(scripts("outbox_schema_history")).contains("V1__create_outbox.sql");
	}

	private void assertHistories() {
		assertThat(scripts("flyway_schema_history")).containsExactly("V1__create_orders.sql", "V2__add_item.sql");
		assertThat(scripts("outbox_schema_history")).containsExactly("V1__create_outbox.sql");
		assertThat(count("orders")).isZero();
	}

	private List<String> scripts(String history) {
		return this.jdbc.queryForList("""
				SELECT "script" FROM "%s" WHERE "type" = 'SQL' ORDER BY "installed_rank\"""".formatted(history),
				String.class);
	}

	private int count(String table) {
		return this.jdbc.queryForObject("SELECT COUNT(*) FROM " + table, Integer.class);
	}

}
