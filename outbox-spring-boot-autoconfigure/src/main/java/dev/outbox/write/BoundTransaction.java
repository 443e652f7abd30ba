package dev.outbox.write;

import java.sql.Connection;
import java.util.function.Consumer;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * The caller's transaction, as found on its thread.
 *
 * @param dataSource the DataSource under which its connection is bound
 * @param holder the holder of its connection
 */
record BoundTransaction(DataSource dataSource, ConnectionHolder holder) {

	void withConnection(Consumer<Connection> work) {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			work.accept(connection);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

}
