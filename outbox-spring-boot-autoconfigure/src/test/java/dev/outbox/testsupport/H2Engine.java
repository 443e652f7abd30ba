package dev.outbox.testsupport;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * H2 in the memory of this JVM.
 */
final class H2Engine implements DatabaseHost {

	@Override
	public Location createDatabase(String name) {
		return new Location(name, "jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1", "sa", "");
	}

	@Override
	public void dropDatabase(Location database) {
		try (Connection connection = DriverManager.getConnection(database.url(), "sa", "");
				Statement statement = connection.createStatement()) {
			statement.execute("SHUTDOWN IMMEDIATELY");
		}
		catch (SQLException ex) {
			throw new IllegalStateException("Cannot drop " + database, ex);
		}
	}

}
