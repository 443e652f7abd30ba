package dev.outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.sql.DataSource;

import dev.outbox.EventEnvelope;
import dev.outbox.store.EventAdmin;
import dev.outbox.store.EventAppender;
import dev.outbox.store.NewEvent;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.PoolOptions;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link OutboxSchema} against real databases.
 */
@EachDatabase
class OutboxSchemaIntegrationTests {

	private static final String TABLE = "outbox_event";

	private static final Set<String> TABLES = Set.of(TABLE, "outbox_node", "outbox_partition", "outbox_meta");

	private final TestDatabase kind;

	@AutoClose
	private final TestDataSource database;

	private final DataSource dataSource;

	private final SqlDialect dialect;

	private final JdbcTemplate jdbc;

	OutboxSchemaIntegrationTests(TestDatabase kind) {
		this.kind = kind;
		this.database = kind.freshDatabase();
		this.dataSource = this.database.dataSource();
		this.dialect = SqlDialects.detect(this.dataSource);
		this.jdbc = new JdbcTemplate(this.dataSource);
	}

	@Test
	void autoMigratesEmbeddedDatabasesAndValidatesOthers() {
		if (this.kind == TestDatabase.H2 || this.kind == TestDatabase.SQLITE) {
			schema(SchemaMode.AUTO).afterPropertiesSet();
			assertThat(tables()).containsAll(TABLES);
		}
		else {
			assertThatExceptionOfType(SchemaMismatchException.class)
				.isThrownBy(() -> schema(SchemaMode.AUTO).afterPropertiesSet());
			assertThat(tables()).isEmpty();
			schema(SchemaMode.MIGRATE).migrate(false);
			assertThatNoException().isThrownBy(() -> schema(SchemaMode.AUTO).afterPropertiesSet());
		}
	}

	@Test
	void migrateUsesFlywayWithAHistoryOfItsOwn() {
		schema(SchemaMode.MIGRATE).afterPropertiesSet();
		assertThat(tables()).containsExactlyInAnyOrder(TABLE, "outbox_node", "outbox_partition", "outbox_meta",
				"outbox_schema_history");
		assertThat(versionsIn("outbox_schema_history")).containsExactly("1");
		append(tablesNamed(null, TABLE));
	}

	@Test
	void migrateWorksWithoutFlyway() {
		schema(SchemaMode.MIGRATE).migrate(false);
		assertThat(tables()).containsExactlyInAnyOrderElementsOf(TABLES);
		assertThatNoException().isThrownBy(() -> schema(SchemaMode.VALIDATE).afterPropertiesSet());
		append(tablesNamed(null, TABLE));
	}

	@Test
	void tablesAreTheSameWithAndWithoutFlyway() {
		schema(SchemaMode.MIGRATE).migrate(true);
		Set<String> withFlyway = TableShape.details(this.dataSource, null);
		try (TestDataSource other = this.kind.freshDatabase()) {
			schema(other.dataSource(), SchemaMode.MIGRATE).migrate(false);
			assertThat(TableShape.details(other.dataSource(), null)).isNotEmpty().isEqualTo(withFlyway);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void migratingAgainChangesNothing(boolean withFlyway) {
		schema(SchemaMode.MIGRATE).migrate(withFlyway);
		append(tablesNamed(null, TABLE));
		this.jdbc.update("INSERT INTO outbox_meta (meta_name, meta_value) VALUES ('partitions', '64')");
		Set<String> before = TableShape.details(this.dataSource, null);
		List<String> meta = meta();
		schema(SchemaMode.MIGRATE).migrate(withFlyway);
		assertThat(TableShape.details(this.dataSource, null)).isEqualTo(before);
		assertThat(meta()).isEqualTo(meta).contains("schema.version=1", "schema.compatible=1", "partitions=64");
		assertThat(count(TABLE)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void applicationMayBeginOrStopToUseFlyway(boolean first) {
		schema(SchemaMode.MIGRATE).migrate(first);
		append(tablesNamed(null, TABLE));
		Set<String> before = TableShape.details(this.dataSource, null);
		schema(SchemaMode.MIGRATE).migrate(!first);
		schema(SchemaMode.MIGRATE).afterPropertiesSet();
		assertThat(TableShape.details(this.dataSource, null)).isEqualTo(before);
		assertThat(meta()).containsExactlyInAnyOrder("schema.version=1", "schema.compatible=1");
		assertThat(count(TABLE)).isEqualTo(1);
		assertThat(versionsIn("outbox_schema_history")).contains("1");
	}

	@Test
	void migrateLeavesTheTablesOfTheApplicationAlone() {
		this.jdbc.execute("CREATE TABLE orders (id INT PRIMARY KEY)");
		this.jdbc.update("INSERT INTO orders (id) VALUES (1)");
		schema(SchemaMode.MIGRATE).migrate(true);
		assertThat(count("orders")).isEqualTo(1);
		assertThat(tables()).containsAll(TABLES);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void manyNodesMayMigrateAtOnce(boolean withFlyway) throws Exception {
		int nodes = 8;
		ExecutorService executor = Executors.newFixedThreadPool(nodes);
		try (TestDataSource large = this.database.anotherPool(PoolOptions.defaults().withMaximumPoolSize(2 * nodes))) {
			CyclicBarrier start = new CyclicBarrier(nodes);
			Callable<Void> node = () -> {
				OutboxSchema schema = schema(large.dataSource(), SchemaMode.MIGRATE);
				// Else they come one after the other, as their connections are made.
				try (Connection connection = large.dataSource().getConnection()) {
					assertThat(connection.isValid(5)).isTrue();
					start.await();
				}
				start.await();
				schema.migrate(withFlyway);
				schema(large.dataSource(), SchemaMode.VALIDATE).afterPropertiesSet();
				return null;
			};
			List<Future<Void>> results = new ArrayList<>();
			for (int i = 0; i < nodes; i++) {
				results.add(executor.submit(node));
			}
			for (Future<Void> result : results) {
				result.get();
			}
		}
		finally {
			executor.shutdownNow();
		}
		assertThat(meta()).containsExactlyInAnyOrder("schema.version=1", "schema.compatible=1");
		append(tablesNamed(null, TABLE));
	}

	/**
	 * Tries each moment at which another node can come in between.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anotherNodeMayMigrateAtAnyMoment(boolean withFlyway) {
		int position = 0;
		boolean happened = true;
		while (happened) {
			position++;
			try (TestDataSource fresh = this.kind.freshDatabase()) {
				OutboxSchema other = schema(fresh.dataSource(), SchemaMode.MIGRATE);
				BetweenStatements between = new BetweenStatements(fresh.dataSource(), position,
						() -> other.migrate(withFlyway));
				OutboxSchema schema = schema(between, SchemaMode.MIGRATE);
				assertThatNoException().as("before statement " + position).isThrownBy(() -> schema.migrate(withFlyway));
				schema(fresh.dataSource(), SchemaMode.VALIDATE).afterPropertiesSet();
				happened = between.happened();
			}
		}
		assertThat(position).isGreaterThan(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void tablesMayHaveOtherNames(boolean withFlyway) {
		OutboxTables tables = tablesNamed(null, "orders_event");
		schema(this.dataSource, tables, SchemaMode.MIGRATE).migrate(withFlyway);
		schema(this.dataSource, tables, SchemaMode.VALIDATE).afterPropertiesSet();
		assertThat(tables()).contains("orders_event", "orders_node", "orders_partition", "orders_meta")
			.doesNotContainAnyElementsOf(TABLES);
		append(tables);
		assertThat(count("orders_event")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void tablesMayHaveTheLongestNames(boolean withFlyway) {
		OutboxTables tables = tablesNamed(null, "t".repeat(45));
		schema(this.dataSource, tables, SchemaMode.MIGRATE).migrate(withFlyway);
		schema(this.dataSource, tables, SchemaMode.MIGRATE).migrate(withFlyway);
		schema(this.dataSource, tables, SchemaMode.VALIDATE).afterPropertiesSet();
		append(tables);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void tablesMayHaveReservedNames(boolean withFlyway) {
		OutboxTables tables = tablesNamed(null, "select");
		schema(this.dataSource, tables, SchemaMode.MIGRATE).migrate(withFlyway);
		schema(this.dataSource, tables, SchemaMode.VALIDATE).afterPropertiesSet();
		append(tables);
	}

	@Test
	void twoOutboxesMayShareADatabase() {
		for (String table : List.of(TABLE, "orders_event", "messages")) {
			OutboxTables tables = tablesNamed(null, table);
			schema(this.dataSource, tables, SchemaMode.MIGRATE).afterPropertiesSet();
			append(tables);
		}
		assertThat(count(TABLE)).isEqualTo(1);
		assertThat(count("orders_event")).isEqualTo(1);
		assertThat(count("messages")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void connectionsNeedNotCommitByThemselves(boolean withFlyway) {
		try (TestDataSource manual = this.database.anotherPool(PoolOptions.defaults().withAutoCommit(false))) {
			schema(manual.dataSource(), SchemaMode.MIGRATE).migrate(withFlyway);
			schema(manual.dataSource(), SchemaMode.VALIDATE).afterPropertiesSet();
		}
		assertThatNoException().isThrownBy(() -> schema(SchemaMode.VALIDATE).afterPropertiesSet());
		append(tablesNamed(null, TABLE));
	}

	@Test
	void oneConnectionIsEnoughWithoutFlyway() {
		PoolOptions one = PoolOptions.defaults().withMaximumPoolSize(1).withConnectionTimeout(Duration.ofSeconds(2));
		try (TestDataSource small = this.database.anotherPool(one)) {
			schema(small.dataSource(), SchemaMode.MIGRATE).migrate(false);
			schema(small.dataSource(), SchemaMode.VALIDATE).afterPropertiesSet();
		}
	}

	@Test
	void validateNamesTheScriptThatIsMissing() {
		assertThatExceptionOfType(SchemaMismatchException.class)
			.isThrownBy(() -> schema(SchemaMode.VALIDATE).afterPropertiesSet())
			.withMessageContaining("The outbox's table %s does not exist".formatted(tablesNamed(null, TABLE).event()))
			.withMessageContaining("dev/outbox/schema/%s/V1__create_outbox.sql".formatted(this.dialect.name()))
			.withMessageContaining("outbox.schema.mode=migrate")
			.satisfies((failure) -> assertThat(failure.action()).startsWith("Run dev/outbox/schema/"));
		assertThat(tables()).isEmpty();
	}

	@Test
	void noneDoesNothing() {
		schema(SchemaMode.NONE).afterPropertiesSet();
		assertThat(tables()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource(names = { "MIGRATE", "VALIDATE" })
	void tablesOfAnIncompatibleNewerReleaseAreRefused(SchemaMode mode) {
		schema(SchemaMode.MIGRATE).migrate(true);
		meta("schema.version", 3);
		meta("schema.compatible", 2);
		assertThatExceptionOfType(SchemaMismatchException.class).isThrownBy(() -> schema(mode).afterPropertiesSet())
			.withMessageContaining("version 3")
			.withMessageContaining("since version 2")
			.withMessageContaining("Update this application");
		assertThat(meta()).containsExactlyInAnyOrder("schema.version=3", "schema.compatible=2");
	}

	/**
	 * Row 25 of the failure catalogue: nodes of this release go on while those of the
	 * next one are rolled out.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void tablesThatANewerReleaseHasExtendedAreUsed(boolean withFlyway) {
		schema(SchemaMode.MIGRATE).migrate(withFlyway);
		this.jdbc.execute("ALTER TABLE outbox_event ADD COLUMN from_the_future VARCHAR(10)");
		this.jdbc.execute("ALTER TABLE outbox_event ADD COLUMN also_new INT DEFAULT 7 NOT NULL");
		this.jdbc.execute("ALTER TABLE outbox_node ADD COLUMN from_the_future VARCHAR(10)");
		meta("schema.version", 2);
		Set<String> before = TableShape.details(this.dataSource, null);
		schema(SchemaMode.VALIDATE).afterPropertiesSet();
		schema(SchemaMode.MIGRATE).afterPropertiesSet();
		schema(SchemaMode.MIGRATE).migrate(withFlyway);
		assertThat(meta()).containsExactlyInAnyOrder("schema.version=2", "schema.compatible=1");
		assertThat(TableShape.details(this.dataSource, null)).isEqualTo(before);
		append(tablesNamed(null, TABLE));
		assertThat(this.jdbc.queryForObject("SELECT also_new FROM outbox_event", Integer.class)).isEqualTo(7);
	}

	/**
	 * The next release leaves its script in the history.
	 */
	@Test
	void historyOfANewerReleaseIsNoObstacle() {
		schema(SchemaMode.MIGRATE).migrate(true);
		String history = quoteAsIs("outbox_schema_history");
		this.jdbc.update(("INSERT INTO %s (%s) SELECT 2, '2', 'later', 'SQL', 'V2__later.sql', 12345, 'x', "
				+ (isBoolean() ? "TRUE" : "1") + ", 1")
			.formatted(history, historyColumns()));
		meta("schema.version", 2);
		assertThatNoException().isThrownBy(() -> schema(SchemaMode.MIGRATE).afterPropertiesSet());
	}

	@Test
	void missingColumnIsFoundOut() {
		schema(SchemaMode.MIGRATE).migrate(false);
		this.jdbc.execute("ALTER TABLE outbox_event DROP COLUMN last_error");
		assertThatExceptionOfType(SchemaMismatchException.class)
			.isThrownBy(() -> schema(SchemaMode.VALIDATE).afterPropertiesSet())
			.withMessageContaining(tablesNamed(null, TABLE).event())
			.satisfies((failure) -> assertThat(failure.getMessage()).containsIgnoringCase("last_error"))
			.withMessageContaining("V1__create_outbox.sql");
	}

	@ParameterizedTest
	@ValueSource(strings = { "outbox_event", "outbox_node", "outbox_partition" })
	void missingTableIsFoundOut(String table) {
		schema(SchemaMode.MIGRATE).migrate(false);
		this.jdbc.execute("DROP TABLE " + table);
		assertThatExceptionOfType(SchemaMismatchException.class)
			.isThrownBy(() -> schema(SchemaMode.VALIDATE).afterPropertiesSet())
			.satisfies((failure) -> assertThat(failure.getMessage()).containsIgnoringCase(table));
	}

	/**
	 * As an interrupted start leaves it on databases whose DDL is not transactional.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void halfAMigrationIsCompleted(boolean withFlyway) {
		schema(SchemaMode.MIGRATE).migrate(false);
		this.jdbc.execute("DROP TABLE outbox_meta");
		this.jdbc.execute("DROP TABLE outbox_partition");
		schema(SchemaMode.MIGRATE).migrate(withFlyway);
		assertThatNoException().isThrownBy(() -> schema(SchemaMode.VALIDATE).afterPropertiesSet());
	}

	/**
	 * Where DDL is not transactional, Flyway remembers the failure.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void failedMigrationSaysWhyAndIsTakenUpAgain(boolean withFlyway) {
		String obstacle = (this.kind == TestDatabase.MARIADB) ? "outbox_event_seq" : TABLE;
		this.jdbc.execute("CREATE TABLE " + obstacle + " (in_the_way INT)");
		for (int starts = 0; starts < 2; starts++) {
			assertThatExceptionOfType(RuntimeException.class)
				.isThrownBy(() -> schema(SchemaMode.MIGRATE).migrate(withFlyway))
				.satisfies((failure) -> assertThat(failure).rootCause().isInstanceOf(SQLException.class));
		}
		this.jdbc.execute("DROP TABLE " + obstacle);
		schema(SchemaMode.MIGRATE).migrate(withFlyway);
		schema(SchemaMode.VALIDATE).afterPropertiesSet();
	}

	@Test
	void idsCompareBinary() {
		schema(SchemaMode.MIGRATE).migrate(false);
		OutboxDatabase outbox = outbox(tablesNamed(null, TABLE));
		for (String id : List.of("abc", "ABC", "àbc", "abc ", "abć")) {
			append(outbox, EventEnvelope.builder("T").eventId(id).payloadJson("{}").build());
		}
		assertThat(count(TABLE)).isEqualTo(5);
		assertThat(new EventAdmin(outbox).get("abc").eventId()).isEqualTo("abc");
	}

	private OutboxSchema schema(SchemaMode mode) {
		return schema(this.dataSource, mode);
	}

	private OutboxSchema schema(DataSource dataSource, SchemaMode mode) {
		return schema(dataSource, tablesNamed(null, TABLE), mode);
	}

	private OutboxSchema schema(DataSource dataSource, OutboxTables tables, SchemaMode mode) {
		return new OutboxSchema(dataSource, this.dialect, tables, mode);
	}

	private OutboxTables tablesNamed(@Nullable String schema, String table) {
		return new OutboxTables(this.dialect, schema, table);
	}

	private OutboxDatabase outbox(OutboxTables tables) {
		return new OutboxDatabase(this.dataSource, this.dialect, tables,
				new ShortTransactions(this.dataSource, this.dialect, tables, Duration.ofSeconds(5)));
	}

	private void append(OutboxTables tables) {
		append(outbox(tables), EventEnvelope.ofJson("T", "{\"emoji\":\"😀\"}"));
	}

	private void append(OutboxDatabase outbox, EventEnvelope event) {
		new JdbcTemplate(this.dataSource).execute((Connection connection) -> {
			new EventAppender(outbox).append(connection, List.of(new NewEvent(event, 0, null)));
			return true;
		});
		assertThat(new EventAdmin(outbox).get(event.eventId()).payload()).isEqualTo(event.payload());
	}

	private Set<String> tables() {
		return TableShape.tables(this.dataSource, null);
	}

	private int count(String table) {
		return this.jdbc.queryForObject("SELECT COUNT(*) FROM " + table, Integer.class);
	}

	private List<String> meta() {
		return this.jdbc.query("SELECT meta_name, meta_value FROM outbox_meta",
				(row, number) -> row.getString(1) + "=" + row.getString(2));
	}

	private void meta(String name, int value) {
		assertThat(this.jdbc.update("UPDATE outbox_meta SET meta_value = ? WHERE meta_name = ?", String.valueOf(value),
				name))
			.isEqualTo(1);
	}

	private List<String> versionsIn(String history) {
		return this.jdbc.queryForList("SELECT %s FROM %s WHERE %s LIKE 'SQL' ORDER BY 1".formatted(quoteAsIs("version"),
				quoteAsIs(history), quoteAsIs("type")), String.class);
	}

	private String historyColumns() {
		return Stream
			.of("installed_rank", "version", "description", "type", "script", "checksum", "installed_by", "success",
					"execution_time")
			.map(this::quoteAsIs)
			.collect(Collectors.joining(", "));
	}

	private boolean isBoolean() {
		return this.kind == TestDatabase.POSTGRESQL || this.kind == TestDatabase.H2;
	}

	private String quoteAsIs(String name) {
		return (this.kind == TestDatabase.MARIADB || this.kind == TestDatabase.MYSQL) ? "`" + name + "`"
				: "\"" + name + "\"";
	}

}
