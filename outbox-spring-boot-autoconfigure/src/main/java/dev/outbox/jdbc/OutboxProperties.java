package dev.outbox.jdbc;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Which outbox it is and where its tables are.
 *
 * @param enabled Whether the outbox is switched on.
 * @param name Name of the outbox, with which its log lines begin.
 * @param table Name of the event table. The names of the other tables follow from it.
 * @param schema Where the tables are and how they come into being.
 * @param jdbc How the outbox talks to the database.
 */
@ConfigurationProperties("outbox")
public record OutboxProperties(@DefaultValue("true") boolean enabled, @DefaultValue("outbox") String name,
		@DefaultValue("outbox_event") String table, @DefaultValue Schema schema, @DefaultValue Jdbc jdbc) {

	/**
	 * Where the tables are and how they come into being.
	 *
	 * @param name Database schema of the tables. The connection's own if not set.
	 * @param mode How the tables come into being.
	 */
	public record Schema(@Nullable String name, @DefaultValue("auto") SchemaMode mode) {

	}

	/**
	 * How the outbox talks to the database.
	 *
	 * @param queryTimeout Time limit for a statement of the outbox's own.
	 */
	public record Jdbc(@DefaultValue("5s") Duration queryTimeout) {

	}

}
