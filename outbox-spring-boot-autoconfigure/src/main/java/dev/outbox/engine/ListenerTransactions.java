package dev.outbox.engine;

import java.util.List;

import javax.sql.DataSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;

/**
 * Chooses the transaction manager for transactional listeners: one of the outbox's own
 * DataSource if there is one, else the only or primary one, which may be that of JPA.
 */
final class ListenerTransactions {

	private ListenerTransactions() {
	}

	static PlatformTransactionManager choose(DataSource dataSource, ObjectProvider<TransactionManager> managers) {
		PlatformTransactionManager unique = managers.getIfUnique() instanceof PlatformTransactionManager platform
				? platform : null;
		if (unique != null && (!(unique instanceof ResourceTransactionManager resource)
				|| !(resource.getResourceFactory() instanceof DataSource) || isOf(unique, dataSource))) {
			return unique;
		}
		List<PlatformTransactionManager> own = managers.stream()
			.filter(PlatformTransactionManager.class::isInstance)
			.map(PlatformTransactionManager.class::cast)
			.filter((manager) -> isOf(manager, dataSource))
			.toList();
		return own.isEmpty() ? new JdbcTransactionManager(dataSource) : own.get(0);
	}

	private static boolean isOf(PlatformTransactionManager manager, DataSource dataSource) {
		return manager instanceof ResourceTransactionManager resource && resource.getResourceFactory() == dataSource;
	}

}
