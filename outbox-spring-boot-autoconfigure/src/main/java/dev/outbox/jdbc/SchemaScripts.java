package dev.outbox.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.springframework.core.io.ClassPathResource;

/**
 * The shipped schema scripts. They are numbered, the same for every database in number
 * and purpose, and may be run again without harm.
 */
final class SchemaScripts {

	private static final String LOCATION = "dev/outbox/schema/";

	private static final List<String> FILE_NAMES = List.of("V1__create_outbox.sql");

	private final SqlDialect dialect;

	private final OutboxTables tables;

	SchemaScripts(SqlDialect dialect, OutboxTables tables) {
		this.dialect = dialect;
		this.tables = tables;
	}

	/**
	 * Return the version that this release works with.
	 * @return the number of the last script
	 */
	static int latestVersion() {
		return FILE_NAMES.size();
	}

	/**
	 * Return the scripts that lead from a version to the latest.
	 * @param version the version there is, 0 for none
	 * @return the scripts, in order
	 */
	List<Script> after(int version) {
		return FILE_NAMES.stream().skip(version).map(this::load).toList();
	}

	private Script load(String fileName) {
		String path = LOCATION + this.dialect.name() + "/" + fileName;
		try {
			String text = new ClassPathResource(path, SchemaScripts.class.getClassLoader())
				.getContentAsString(StandardCharsets.UTF_8);
			return new Script(fileName, path, this.tables.applyTo(text));
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot read the schema script " + path, ex);
		}
	}

	/**
	 * A script with the names of the tables in use.
	 *
	 * @param fileName the file's name
	 * @param path where the original is on the class path
	 * @param text its statements
	 */
	record Script(String fileName, String path, String text) {

	}

}
