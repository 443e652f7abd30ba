package dev.outbox.jdbc;

/**
 * How the outbox's tables come into being.
 */
public enum SchemaMode {

	/**
	 * Migrate on H2 and SQLite, validate elsewhere.
	 */
	AUTO,

	/**
	 * Create the tables or bring them up to date.
	 */
	MIGRATE,

	/**
	 * Refuse to start if the tables are missing or out of date.
	 */
	VALIDATE,

	/**
	 * Do nothing.
	 */
	NONE

}
