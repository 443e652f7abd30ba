package dev.outbox.write;

import dev.outbox.jdbc.OutboxDatabase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;

/**
 * Lets the writer watch the commits of all transaction managers, Boot's and the
 * application's own.
 */
final class TransactionManagerWatch implements SmartInitializingSingleton {

	private static final Logger logger = LoggerFactory.getLogger(TransactionManagerWatch.class);

	private final String outbox;

	private final OutboxDatabase database;

	private final CallerTransaction caller;

	private final ObjectProvider<TransactionManager> managers;

	TransactionManagerWatch(String outbox, OutboxDatabase database, CallerTransaction caller,
			ObjectProvider<TransactionManager> managers) {
		this.outbox = outbox;
		this.database = database;
		this.caller = caller;
		this.managers = managers;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.managers.stream(ObjectProvider.UNFILTERED)
			.filter(PlatformTransactionManager.class::isInstance)
			.filter(ConfigurableTransactionManager.class::isInstance)
			.map(ConfigurableTransactionManager.class::cast)
			.forEach(this.caller::watch);
		logger.info("{}: events are written to {} on {}", this.outbox, this.database.tables().event(),
				this.database.dialect().name());
	}

}
