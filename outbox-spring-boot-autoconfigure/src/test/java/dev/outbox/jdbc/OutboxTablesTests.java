package dev.outbox.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link OutboxTables}.
 */
class OutboxTablesTests {

	private static final SqlDialect POSTGRES = new PostgresDialect();

	@Test
	void namesFollowFromThatOfTheEventTable() {
		OutboxTables tables = new OutboxTables(POSTGRES, null, "orders_event");
		assertThat(tables.event()).isEqualTo("\"orders_event\"");
		assertThat(tables.node()).isEqualTo("\"orders_node\"");
		assertThat(tables.partition()).isEqualTo("\"orders_partition\"");
		assertThat(tables.meta()).isEqualTo("\"orders_meta\"");
		assertThat(tables.history()).isEqualTo("orders_schema_history");
	}

	@Test
	void namesFollowFromOneWithoutTheUsualEndingAsWell() {
		OutboxTables tables = new OutboxTables(POSTGRES, null, "messages");
		assertThat(tables.event()).isEqualTo("\"messages\"");
		assertThat(tables.node()).isEqualTo("\"messages_node\"");
		assertThat(tables.history()).isEqualTo("messages_schema_history");
	}

	@Test
	void endingIsTheSameInUpperCase() {
		OutboxTables tables = new OutboxTables(new H2Dialect(false), null, "ORDERS_EVENT");
		assertThat(tables.event()).isEqualTo("\"ORDERS_EVENT\"");
		assertThat(tables.node()).isEqualTo("\"ORDERS_NODE\"");
	}

	@Test
	void namesAreInTheSchema() {
		OutboxTables tables = new OutboxTables(POSTGRES, "app", "outbox_event");
		assertThat(List.of(tables.event(), tables.node(), tables.partition(), tables.meta())).containsExactly(
				"\"app\".\"outbox_event\"", "\"app\".\"outbox_node\"", "\"app\".\"outbox_partition\"",
				"\"app\".\"outbox_meta\"");
	}

	@Test
	void emptySchemaIsNone() {
		assertThat(new OutboxTables(POSTGRES, "", "outbox_event").event()).isEqualTo("\"outbox_event\"");
	}

	@Test
	void namesAreFoldedAndQuotedAsTheDatabaseWouldDoIt() {
		assertThat(new OutboxTables(POSTGRES, "App", "Orders_Event").event()).isEqualTo("\"app\".\"orders_event\"");
		assertThat(new OutboxTables(new H2Dialect(false), "App", "Orders_Event").event())
			.isEqualTo("\"APP\".\"ORDERS_EVENT\"");
		assertThat(new OutboxTables(new H2Dialect(true), "App", "Orders_Event").event())
			.isEqualTo("\"app\".\"orders_event\"");
		assertThat(new OutboxTables(new MySqlDialect("mysql"), "App", "Orders_Event").event())
			.isEqualTo("`App`.`Orders_Event`");
		assertThat(new OutboxTables(new SqliteDialect(), null, "Orders_Event").event()).isEqualTo("\"Orders_Event\"");
	}

	@Test
	void schemaIsRefusedWhereThereAreNone() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new OutboxTables(new SqliteDialect(), "app", "outbox_event"))
			.withMessageContaining("outbox.schema.name")
			.withMessageContaining("sqlite");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "1event", "a-b", "a.b", "a b", "a\"b", "a`b", "a'b", "a;b", "a\nb", "event\n",
			"outbox_event; DROP TABLE users --", "x\" (id int); DROP TABLE users; --", "a/*b*/", "a\\b", "a$b", "ä",
			"a\0" })
	void whatIsNoPlainNameIsRefused(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> new OutboxTables(POSTGRES, null, name))
			.withMessageContaining("outbox.table");
		if (!name.isEmpty()) {
			assertThatIllegalArgumentException().isThrownBy(() -> new OutboxTables(POSTGRES, name, "outbox_event"))
				.withMessageContaining("outbox.schema.name");
		}
	}

	@Test
	void namesAreShortEnoughForAllThatIsDerivedFromThem() {
		String longest = "t".repeat(45);
		OutboxTables tables = new OutboxTables(POSTGRES, "s".repeat(63), longest);
		Pattern identifier = Pattern.compile("\"(\\w+)\"");
		for (SqlDialect dialect : dialects().toList()) {
			assertThat(identifier.matcher(tables.applyTo(script(dialect))).results().map((result) -> result.group(1)))
				.isNotEmpty()
				.allSatisfy((name) -> assertThat(name).hasSizeLessThanOrEqualTo(63));
		}
		assertThatIllegalArgumentException().isThrownBy(() -> new OutboxTables(POSTGRES, null, longest + "t"))
			.withMessageContaining("at most 45");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new OutboxTables(POSTGRES, "s".repeat(64), "outbox_event"));
	}

	@ParameterizedTest
	@MethodSource("dialects")
	void scriptHasTheNamesOfTheTablesAndNoOthers(SqlDialect dialect) {
		OutboxTables tables = new OutboxTables(dialect, dialect.hasSchemas() ? "app" : null, "my_event");
		String script = tables.applyTo(script(dialect));
		assertThat(script).doesNotContain("outbox_")
			.contains("CREATE TABLE IF NOT EXISTS " + tables.event() + " (")
			.contains("CREATE TABLE IF NOT EXISTS " + tables.node() + " (")
			.contains("CREATE TABLE IF NOT EXISTS " + tables.partition() + " (")
			.contains("CREATE TABLE IF NOT EXISTS " + tables.meta() + " (")
			.contains("INSERT INTO " + tables.meta() + " ");
	}

	@ParameterizedTest
	@MethodSource("dialects")
	void defaultNamesLeaveTheScriptAsItIsButForQuotes(SqlDialect dialect) {
		String script = new OutboxTables(dialect, null, "outbox_event").applyTo(script(dialect));
		assertThat(script.replaceAll("[\"`]", "")).isEqualToIgnoringCase(script(dialect).replaceAll("[\"`]", ""));
	}

	@Test
	void namesInScriptsAreReplacedAsAWholeWord() {
		OutboxTables tables = new OutboxTables(POSTGRES, "app", "my_event");
		assertThat(tables.applyTo("outbox_event outbox_events my_outbox_event outbox_meta.x outbox_event_pk"))
			.isEqualTo("\"app\".\"my_event\" outbox_events my_outbox_event \"app\".\"my_meta\".x \"my_event_pk\"");
		assertThat(tables.applyTo("outbox_event_seq")).isEqualTo("\"app\".\"my_event_seq\"");
		assertThat(tables.applyTo("-- outbox_event\n")).isEqualTo("-- \"app\".\"my_event\"\n");
	}

	@Test
	void namesInScriptsMayHaveDollarsInTheirNeighbourhood() {
		assertThat(new OutboxTables(POSTGRES, null, "my_event").applyTo("$1 outbox_event \\1"))
			.isEqualTo("$1 \"my_event\" \\1");
	}

	static Stream<SqlDialect> dialects() {
		return Stream.of(new PostgresDialect(), new MySqlDialect("mysql"), new MySqlDialect("mariadb"),
				new H2Dialect(false), new SqliteDialect());
	}

	private static String script(SqlDialect dialect) {
		try {
			return new ClassPathResource("dev/outbox/schema/" + dialect.name() + "/V1__create_outbox.sql")
				.getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
