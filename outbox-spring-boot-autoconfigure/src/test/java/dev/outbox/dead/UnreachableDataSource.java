package dev.outbox.dead;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.outbox.store.OutboxFixture;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A database that can be reached once, to find out which one it is, and then no more.
 */
final class UnreachableDataSource extends DelegatingDataSource {

	private final AtomicBoolean reached = new AtomicBoolean();

	UnreachableDataSource(OutboxFixture outbox) {
		super(outbox.source.dataSource());
	}

	@Override
	public Connection getConnection() throws SQLException {
		if (this.reached.getAndSet(true)) {
			throw new SQLException("unreachable");
		}
		return super.getConnection();
	}

}
