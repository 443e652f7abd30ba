package dev.outbox.testsupport;

/**
 * Where databases can be created: a running server, or memory and disk of this JVM.
 */
interface DatabaseHost {

	/**
	 * Provides an empty database.
	 * @param name a name that no other database has
	 */
	Location createDatabase(String name);

	/**
	 * Takes back a database that its test is done with.
	 */
	void dropDatabase(Location database);

	/**
	 * A database and how to connect to it.
	 *
	 * @param name the name
	 * @param url the JDBC URL
	 * @param username the user, who may do everything
	 * @param password the password
	 */
	record Location(String name, String url, String username, String password) {
	}

}
