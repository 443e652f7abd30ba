package dev.outbox.testsupport;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A running server.
 *
 * @param urlTemplate the JDBC URL with {@code %s} for the name of the database
 * @param maintenanceDatabase the database to be connected to while creating others
 * @param username a user who may create databases
 * @param password the password
 */
record DatabaseServer(String urlTemplate, String maintenanceDatabase, String username,
		String password) implements DatabaseHost {

	@Override
	public Location createDatabase(String name) {
		execute("CREATE DATABASE " + name);
		return location(name);
	}

	@Override
	public void dropDatabase(Location database) {
		execute("DROP DATABASE " + database.name());
	}

	Location location(String name) {
		return new Location(name, this.urlTemplate.formatted(name), this.username, this.password);
	}

	void execute(String... statements) {
		execute(location(this.maintenanceDatabase), statements);
	}

	void execute(Location database, String... statements) {
		try (Connection connection = connect(database); Statement statement = connection.createStatement()) {
			for (String sql : statements) {
				statement.execute(sql);
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(String.join("; ", statements) + " failed on " + database, ex);
		}
	}

	/**
	 * Connects and disconnects again.
	 */
	void ping() throws SQLException {
		connect(location(this.maintenanceDatabase)).close();
	}

	private static Connection connect(Location database) throws SQLException {
		return DriverManager.getConnection(database.url(), database.username(), database.password());
	}

}
