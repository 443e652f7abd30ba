package dev.outbox.serialize;

import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ResourceLoader;

/**
 * Auto-configuration of payloads and logical type names.
 */
@AutoConfiguration(afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
public final class OutboxSerializeAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(OutboxSerializeAutoConfiguration.class);

	OutboxSerializeAutoConfiguration() {
	}

	@Bean
	@ConditionalOnMissingBean
	EventSerializer outboxEventSerializer(ObjectProvider<JsonMapper> mappers) {
		JsonMapper mapper = mappers.getIfUnique();
		if (mapper == null && mappers.stream().findAny().isPresent()) {
			logger.warn("There are several JsonMappers and none of them is primary: events are written with one of the "
					+ "outbox's own. Mark one as primary, or define a bean of type EventSerializer");
		}
		return new JacksonEventSerializer((mapper != null) ? mapper : JsonMapper.builder().build());
	}

	@Bean
	@ConditionalOnMissingBean
	EventTypes outboxEventTypes(BeanFactory beanFactory, ResourceLoader resourceLoader) {
		if (!AutoConfigurationPackages.has(beanFactory)) {
			return new EventTypes(List.of());
		}
		EventClassScanner scanner = new EventClassScanner();
		scanner.setResourceLoader(resourceLoader);
		return new EventTypes(
				scanner.scan(AutoConfigurationPackages.get(beanFactory), resourceLoader.getClassLoader()));
	}

}
