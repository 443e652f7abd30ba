package dev.outbox.listener;

import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Registers the listeners of the auto-configured outbox when all ordinary beans are there
 * and before anything is started.
 */
final class OutboxListenerRegistrar implements SmartInitializingSingleton {

	private final String outboxName;

	private final ListenerScanner scanner;

	private final ListenerRegistry registry;

	OutboxListenerRegistrar(String outboxName, ListenerScanner scanner, ListenerRegistry registry) {
		this.outboxName = outboxName;
		this.scanner = scanner;
		this.registry = registry;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.scanner.registerInto(this.outboxName, true, this.registry);
	}

}
