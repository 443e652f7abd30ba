package dev.outbox.engine;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.outbox.listener.ListenerScanner;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionManager;

/**
 * Gives the outboxes beside the auto-configured one their listeners and lets them watch
 * the transactions, when all ordinary beans are there and before anything is started.
 */
final class NamedOutboxes implements SmartInitializingSingleton {

	private final String defaultName;

	private final ObjectProvider<Outbox> outboxes;

	private final ListenerScanner scanner;

	private final ObjectProvider<TransactionManager> managers;

	NamedOutboxes(String defaultName, ObjectProvider<Outbox> outboxes, ListenerScanner scanner,
			ObjectProvider<TransactionManager> managers) {
		this.defaultName = defaultName;
		this.outboxes = outboxes;
		this.scanner = scanner;
		this.managers = managers;
	}

	@Override
	public void afterSingletonsInstantiated() {
		List<Outbox> all = this.outboxes.stream(ObjectProvider.UNFILTERED).toList();
		Set<String> names = new HashSet<>();
		for (Outbox outbox : all) {
			if (!names.add(outbox.name())) {
				throw new IllegalStateException("There are several outboxes with the name '" + outbox.name() + "'");
			}
		}
		names.add(this.defaultName);
		List<Outbox> others = all.stream().filter((outbox) -> !outbox.name().equals(this.defaultName)).toList();
		others.forEach((other) -> this.scanner.registerInto(other.name(), false, other.listeners()));
		this.scanner.requireOutboxes(names);
		if (!others.isEmpty()) {
			this.managers.stream(ObjectProvider.UNFILTERED)
				.filter(PlatformTransactionManager.class::isInstance)
				.filter(ConfigurableTransactionManager.class::isInstance)
				.map(ConfigurableTransactionManager.class::cast)
				.forEach((manager) -> others.forEach((outbox) -> outbox.watch(manager)));
		}
	}

}
