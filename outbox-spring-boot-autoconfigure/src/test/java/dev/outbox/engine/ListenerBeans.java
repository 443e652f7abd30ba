package dev.outbox.engine;

import java.util.List;

import dev.outbox.listener.ListenerScanner;
import dev.outbox.serialize.EventSerializer;
import dev.outbox.serialize.EventTypes;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/**
 * Registers the listener methods of objects as an application does those of its beans.
 */
final class ListenerBeans {

	private ListenerBeans() {
	}

	static void register(Outbox node, Object bean) {
		register(node, EventSerializer.jackson(), bean);
	}

	static void register(Outbox node, EventSerializer serializer, Object bean) {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		beans.registerSingleton("listeners", bean);
		new ListenerScanner(beans, new EventTypes(List.of()), serializer).registerInto(node.name(), true,
				node.listeners());
	}

}
