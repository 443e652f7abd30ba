package dev.outbox.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.support.EncodedResource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ScriptUtils;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

/**
 * Sees to it that the outbox's tables are there and fit this release.
 * <p>
 * The tables say of themselves, in the meta table, which version they have and since
 * which version a release must know them. So a release runs on tables that a newer one
 * has extended, and refuses those that a newer one has changed incompatibly. Flyway runs
 * the scripts where it is on the class path, with a history table of its own; otherwise
 * they are run directly.
 */
public final class OutboxSchema implements InitializingBean {

	private static final Logger logger = LoggerFactory.getLogger(OutboxSchema.class);

	private static final boolean flywayPresent = ClassUtils.isPresent("org.flywaydb.core.Flyway",
			OutboxSchema.class.getClassLoader());

	private static final int MAX_TRIES = 5;

	private final DataSource dataSource;

	private final SqlDialect dialect;

	private final OutboxTables tables;

	private final SchemaMode mode;

	private final SchemaScripts scripts;

	private final JdbcTemplate jdbc;

	private final TransactionTemplate transaction;

	public OutboxSchema(DataSource dataSource, SqlDialect dialect, OutboxTables tables, SchemaMode mode) {
		this.dataSource = dataSource;
		this.dialect = dialect;
		this.tables = tables;
		this.mode = (mode != SchemaMode.AUTO) ? mode
				: (dialect.isEmbedded() ? SchemaMode.MIGRATE : SchemaMode.VALIDATE);
		this.scripts = new SchemaScripts(dialect, tables);
		this.jdbc = new JdbcTemplate(dataSource);
		this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
	}

	@Override
	public void afterPropertiesSet() {
		switch (this.mode) {
			case MIGRATE -> {
				migrate(flywayPresent);
				validate();
			}
			case VALIDATE -> validate();
			case NONE, AUTO -> logger.debug("{}: the tables are left alone", this.tables.event());
		}
	}

	/**
	 * Bring the tables up to date. When several nodes start together, one of them may be
	 * told that a table, or Flyway's baseline, is there already: then another one has
	 * just made it, and the next try finds it.
	 */
	void migrate(boolean withFlyway) {
		if (readVersions().compatible() > SchemaScripts.latestVersion()) {
			return;
		}
		for (int tries = 1;; tries++) {
			try {
				if (withFlyway) {
					FlywayMigration.run(this.dataSource, this.tables, this.scripts.after(0), tries > 1);
				}
				else {
					runScripts();
				}
				return;
			}
			catch (RuntimeException ex) {
				if (tries == MAX_TRIES) {
					throw ex;
				}
				logger.debug("{}: migration is tried again", this.tables.event(), ex);
			}
		}
	}

	private void runScripts() {
		List<SchemaScripts.Script> missing = this.scripts.after(readVersions().version());
		this.transaction.executeWithoutResult((status) -> {
			if (this.tables.schema() != null) {
				this.jdbc.execute("CREATE SCHEMA IF NOT EXISTS " + this.dialect.quote(this.tables.schema()));
			}
			missing.forEach(this::run);
		});
	}

	private void run(SchemaScripts.Script script) {
		this.jdbc.execute((ConnectionCallback<Boolean>) (Connection connection) -> {
			ScriptUtils.executeSqlScript(connection,
					new EncodedResource(
							new ByteArrayResource(script.text().getBytes(StandardCharsets.UTF_8), script.path()),
							StandardCharsets.UTF_8));
			return true;
		});
		logger.info("{}: schema script {} was run", this.tables.event(), script.path());
	}

	private void validate() {
		Versions versions = readVersions();
		int latest = SchemaScripts.latestVersion();
		if (versions.compatible() > latest) {
			throw new SchemaMismatchException(
					"The outbox's tables have version %d, which can be used since version %d only, but this release knows version %d"
						.formatted(versions.version(), versions.compatible(), latest),
					"Update this application to a newer release of the outbox.");
		}
		if (versions.version() < latest) {
			List<SchemaScripts.Script> missing = this.scripts.after(versions.version());
			throw new SchemaMismatchException(
					(versions.version() == 0) ? "The outbox's table %s does not exist".formatted(this.tables.event())
							: "The outbox's tables have version %d, this release needs version %d"
								.formatted(versions.version(), latest),
					"Run %s from the class path, or set outbox.schema.mode=migrate to let the outbox do so."
						.formatted(missing.stream().map(SchemaScripts.Script::path).collect(Collectors.joining(", "))));
		}
		checkColumns(this.tables.event(), OutboxTables.EVENT_COLUMNS);
		checkColumns(this.tables.node(), "node_id, name, started_at, beat_at, expires_at, dead_at");
		checkColumns(this.tables.partition(), "partition_no, owner, epoch");
	}

	private void checkColumns(String table, String columns) {
		try {
			this.jdbc.queryForList("SELECT " + columns + " FROM " + table + " WHERE 1 = 0");
		}
		catch (BadSqlGrammarException | UncategorizedSQLException ex) {
			throw new SchemaMismatchException(
					"The outbox's table %s is not as this release needs it: %s".formatted(table,
							ex.getMostSpecificCause().getMessage()),
					"Compare it with %s on the class path.".formatted(this.scripts.after(0).get(0).path()));
		}
	}

	private Versions readVersions() {
		try {
			Map<String, Integer> values = this.jdbc.query("SELECT meta_name, meta_value FROM " + this.tables.meta()
					+ " WHERE meta_name IN ('schema.version', 'schema.compatible')", (rows) -> {
						Map<String, Integer> result = new HashMap<>();
						while (rows.next()) {
							result.put(rows.getString(1), Integer.valueOf(rows.getString(2)));
						}
						return result;
					});
			return (values != null) ? new Versions(values.getOrDefault("schema.version", 0),
					values.getOrDefault("schema.compatible", 0)) : Versions.NONE;
		}
		catch (DataAccessException ex) {
			if (ex.getMostSpecificCause() instanceof SQLException failure && this.dialect.isMissingTable(failure)) {
				return Versions.NONE;
			}
			throw ex;
		}
	}

	/**
	 * What the tables say of themselves.
	 *
	 * @param version how many scripts have been run
	 * @param compatible the oldest release version that can use them
	 */
	private record Versions(int version, int compatible) {

		static final Versions NONE = new Versions(0, 0);

	}

}
