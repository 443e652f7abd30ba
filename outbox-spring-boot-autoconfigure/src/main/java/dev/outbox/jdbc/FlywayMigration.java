package dev.outbox.jdbc;

import java.io.Reader;
import java.io.StringReader;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import javax.sql.DataSource;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.core.api.resource.LoadableResource;
import org.jspecify.annotations.Nullable;

/**
 * Runs the schema scripts with a Flyway of the outbox's own. It is no bean, so Boot's
 * stays what it is, and it has its own history table, so neither sees the other's
 * scripts.
 */
final class FlywayMigration {

	private FlywayMigration() {
	}

	/**
	 * Run the scripts that have not been run.
	 * @param dataSource where to run them
	 * @param tables the tables they make
	 * @param scripts all scripts
	 * @param again whether it has just been tried: where DDL is not transactional, Flyway
	 * goes on after a failure only once its history is repaired
	 */
	static void run(DataSource dataSource, OutboxTables tables, List<SchemaScripts.Script> scripts, boolean again) {
		FluentConfiguration configuration = Flyway.configure(FlywayMigration.class.getClassLoader())
			.dataSource(dataSource)
			.table(tables.history())
			.baselineOnMigrate(true)
			.baselineVersion("0")
			.placeholderReplacement(false)
			.locations(new String[0])
			.resourceProvider(new Scripts(scripts));
		String schema = tables.foldedSchema();
		if (schema != null) {
			configuration.schemas(schema);
		}
		Flyway flyway = configuration.load();
		if (again) {
			flyway.repair();
		}
		flyway.migrate();
	}

	/**
	 * Hands the scripts to Flyway with the names of the tables already in them.
	 */
	private record Scripts(List<SchemaScripts.Script> scripts) implements ResourceProvider {

		@Override
		public @Nullable LoadableResource getResource(String name) {
			return this.scripts.stream()
				.filter((script) -> script.fileName().equals(name))
				.map(ScriptResource::new)
				.findFirst()
				.orElse(null);
		}

		@Override
		public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
			return this.scripts.stream()
				.filter((script) -> script.fileName().startsWith(prefix)
						&& Arrays.stream(suffixes).anyMatch(script.fileName()::endsWith))
				.<LoadableResource>map(ScriptResource::new)
				.toList();
		}

	}

	/**
	 * One script as Flyway reads it.
	 */
	private static final class ScriptResource extends LoadableResource {

		private final SchemaScripts.Script script;

		private ScriptResource(SchemaScripts.Script script) {
			this.script = script;
		}

		@Override
		public Reader read() {
			return new StringReader(this.script.text());
		}

		@Override
		public String getAbsolutePath() {
			return this.script.path();
		}

		@Override
		public @Nullable String getAbsolutePathOnDisk() {
			return null;
		}

		@Override
		public String getFilename() {
			return this.script.fileName();
		}

		@Override
		public String getRelativePath() {
			return this.script.fileName();
		}

	}

}
