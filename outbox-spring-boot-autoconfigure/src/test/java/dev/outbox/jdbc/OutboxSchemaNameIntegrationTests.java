package dev.outbox.jdbc;

import java.util.Set;

import javax.sql.DataSource;

import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.PoolOptions;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link OutboxSchema} with {@code outbox.schema.name}.
 */
@EachDatabase(except = TestDatabase.SQLITE)
class OutboxSchemaNameIntegrationTests {

	private static final Set<String> TABLES = Set.of("outbox_event", "outbox_node", "outbox_partition", "outbox_meta");

	private final TestDatabase kind;

	@AutoClose
	private final TestDataSource database;

	private final DataSource dataSource;

	private final SqlDialect dialect;

	private final String name;

	private final OutboxTables tables;

	OutboxSchemaNameIntegrationTests(TestDatabase kind) {
		this.kind = kind;
		this.database = kind.freshDatabase();
		this.dataSource = this.database.dataSource();
		this.dialect = SqlDialects.detect(this.dataSource);
		this.name = "Own_" + Long.toString(System.nanoTime(), 36);
		this.tables = new OutboxTables(this.dialect, this.name, "outbox_event");
	}

	/**
	 * Where a schema is a database, it outlives the one it was created from.
	 */
	@AfterEach
	void dropSchema() {
		if (this.kind == TestDatabase.MARIADB || this.kind == TestDatabase.MYSQL) {
			new JdbcTemplate(this.dataSource).execute("DROP DATABASE IF EXISTS " + this.name);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void schemaIsCreatedIfItIsMissing(boolean withFlyway) {
		schema(this.dataSource, SchemaMode.MIGRATE).migrate(withFlyway);
		assertThatTablesAreInTheSchema();
		schema(this.dataSource, SchemaMode.MIGRATE).migrate(withFlyway);
		schema(this.dataSource, SchemaMode.MIGRATE).migrate(!withFlyway);
		assertThatTablesAreInTheSchema();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void schemaMayBeThere(boolean withFlyway) {
		JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);
		String quoted = this.dialect.quote(this.name);
		jdbc.execute("CREATE SCHEMA " + quoted);
		jdbc.execute("CREATE TABLE " + quoted + ".orders (id INT)");
		schema(this.dataSource, SchemaMode.MIGRATE).migrate(withFlyway);
		assertThatTablesAreInTheSchema();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void connectionsNeedNotCommitByThemselves(boolean withFlyway) {
		try (TestDataSource manual = this.database.anotherPool(PoolOptions.defaults().withAutoCommit(false))) {
			schema(manual.dataSource(), SchemaMode.MIGRATE).migrate(withFlyway);
		}
		assertThatTablesAreInTheSchema();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void tablesOfTheSameNameElsewhereDoNotCount(boolean withFlyway) {
		OutboxTables elsewhere = new OutboxTables(this.dialect, null, "outbox_event");
		new OutboxSchema(this.dataSource, this.dialect, elsewhere, SchemaMode.MIGRATE).migrate(withFlyway);
		assertThatExceptionOfType(SchemaMismatchException.class)
			.isThrownBy(() -> schema(this.dataSource, SchemaMode.VALIDATE).afterPropertiesSet())
			.withMessageContaining(this.tables.event());
		schema(this.dataSource, SchemaMode.MIGRATE).migrate(withFlyway);
		schema(this.dataSource, SchemaMode.VALIDATE).afterPropertiesSet();
	}

	private void assertThatTablesAreInTheSchema() {
		schema(this.dataSource, SchemaMode.VALIDATE).afterPropertiesSet();
		assertThat(TableShape.tables(this.dataSource, null)).isEmpty();
		assertThat(TableShape.tables(this.dataSource, this.dialect.quote(this.name).replaceAll("\\W", "")))
			.containsAll(TABLES);
	}

	private OutboxSchema schema(DataSource dataSource, SchemaMode mode) {
		return new OutboxSchema(dataSource, this.dialect, this.tables, mode);
	}

}
