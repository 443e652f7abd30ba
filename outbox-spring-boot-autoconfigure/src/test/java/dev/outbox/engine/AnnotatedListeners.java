package dev.outbox.engine;

import java.util.List;

import dev.outbox.listener.ListenerScanner;
import dev.outbox.serialize.EventSerializer;
import dev.outbox.serialize.EventTypes;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/**
 * Registers the annotated methods of objects, as an application does with its beans.
 */
final class AnnotatedListeners {

	private AnnotatedListeners() {
	}

	static void register(Outbox node, Object... beans) {
		DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
		for (Object bean : beans) {
			beanFactory.registerSingleton(bean.getClass().getSimpleName(), bean);
		}
		new ListenerScanner(beanFactory, new EventTypes(List.of()), EventSerializer.jackson()).registerInto(node.name(),
				true, node.listeners());
	}

}
