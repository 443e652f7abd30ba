package dev.outbox.jdbc;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The names of the outbox's tables, validated, folded and quoted for their database. All
 * follow from the name of the event table: {@code orders_event} is accompanied by
 * {@code orders_node}, {@code orders_partition}, {@code orders_meta} and
 * {@code orders_schema_history}.
 */
public final class OutboxTables {

	/**
	 * The columns of the event table that the outbox uses.
	 */
	public static final String EVENT_COLUMNS = """
			event_id, seq, status, owner, claim, attempts, reclaims, partition_no, available_at, created_at, occurred_at, \
			done_at, event_type, aggregate_type, aggregate_id, event_key, tenant_id, headers, payload, payload_bytes, \
			progress, last_error""";

	private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}");

	/**
	 * Leaves room for the longest suffix of an index or a table within the 63 characters
	 * of PostgreSQL.
	 */
	private static final int MAX_TABLE_NAME = 45;

	private static final String EVENT_SUFFIX = "_event";

	private static final Pattern SCRIPT_NAME = Pattern.compile("\\boutbox_(event|node|partition|meta)(_\\w+)?\\b");

	private final SqlDialect dialect;

	private final @Nullable String schema;

	private final String prefix;

	private final String eventTable;

	public OutboxTables(SqlDialect dialect, @Nullable String schema, String eventTable) {
		this.dialect = dialect;
		this.schema = (schema != null && !schema.isEmpty()) ? check("outbox.schema.name", schema, 63) : null;
		if (this.schema != null && !dialect.hasSchemas()) {
			throw new IllegalArgumentException("outbox.schema.name cannot be used with " + dialect.name());
		}
		this.eventTable = check("outbox.table", eventTable, MAX_TABLE_NAME);
		int stem = eventTable.length() - EVENT_SUFFIX.length();
		this.prefix = (stem > 0 && eventTable.regionMatches(true, stem, EVENT_SUFFIX, 0, EVENT_SUFFIX.length()))
				? eventTable.substring(0, stem) : eventTable;
	}

	private static String check(String property, String name, int maxLength) {
		if (!IDENTIFIER.matcher(name).matches() || name.length() > maxLength) {
			throw new IllegalArgumentException(
					property + " must be made of at most %d letters, digits and '_' and not start with a digit"
						.formatted(maxLength));
		}
		return name;
	}

	/**
	 * Return the table of events.
	 * @return the qualified, quoted name
	 */
	public String event() {
		return qualified(this.eventTable);
	}

	/**
	 * Return the table of nodes.
	 * @return the qualified, quoted name
	 */
	public String node() {
		return qualified(this.prefix + "_node");
	}

	/**
	 * Return the table of partitions and their owners.
	 * @return the qualified, quoted name
	 */
	public String partition() {
		return qualified(this.prefix + "_partition");
	}

	/**
	 * Return the table of settings that all nodes share.
	 * @return the qualified, quoted name
	 */
	public String meta() {
		return qualified(this.prefix + "_meta");
	}

	@Nullable String schema() {
		return this.schema;
	}

	/**
	 * Return the schema as Flyway wants it: folded but not quoted.
	 */
	@Nullable String foldedSchema() {
		if (this.schema == null) {
			return null;
		}
		String quoted = this.dialect.quote(this.schema);
		return quoted.substring(1, quoted.length() - 1);
	}

	/**
	 * Return the history table, in lower case like that of any Flyway.
	 */
	String history() {
		return (this.prefix + "_schema_history").toLowerCase(Locale.ROOT);
	}

	/**
	 * Put the names of these tables into a schema script, which is written for the
	 * default ones.
	 * @param script the text of a script
	 * @return the script for these tables
	 */
	String applyTo(String script) {
		return SCRIPT_NAME.matcher(script)
			.replaceAll((match) -> Matcher.quoteReplacement(nameFor(match.group(1), match.group(2))));
	}

	private String nameFor(String table, @Nullable String suffix) {
		String name = "event".equals(table) ? this.eventTable : this.prefix + "_" + table;
		if (suffix == null) {
			return qualified(name);
		}
		return "_seq".equals(suffix) ? qualified(name + suffix) : this.dialect.quote(name + suffix);
	}

	private String qualified(String name) {
		String quoted = this.dialect.quote(name);
		return (this.schema != null) ? this.dialect.quote(this.schema) + "." + quoted : quoted;
	}

}
