package dev.outbox.listener;

import dev.outbox.serialize.EventSerializer;
import dev.outbox.serialize.EventTypes;
import dev.outbox.serialize.OutboxSerializeAutoConfiguration;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of listeners.
 */
@AutoConfiguration(after = OutboxSerializeAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
public final class OutboxListenerAutoConfiguration {

	OutboxListenerAutoConfiguration() {
	}

	@Bean
	@ConditionalOnMissingBean
	ListenerRegistry outboxListenerRegistry() {
		return new ListenerRegistry();
	}

	@Bean
	@ConditionalOnMissingBean
	ListenerScanner outboxListenerScanner(ConfigurableListableBeanFactory beanFactory, EventTypes types,
			EventSerializer serializer) {
		return new ListenerScanner(beanFactory, types, serializer);
	}

	@Bean
	OutboxListenerRegistrar outboxListenerRegistrar(Environment environment, ListenerScanner scanner,
			ListenerRegistry registry) {
		return new OutboxListenerRegistrar(environment.getProperty("outbox.name", "outbox"), scanner, registry);
	}

}
