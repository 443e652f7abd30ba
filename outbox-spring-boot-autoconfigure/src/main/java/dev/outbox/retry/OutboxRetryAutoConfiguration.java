package dev.outbox.retry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of retries and breakers.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "outbox.enabled", matchIfMissing = true)
@EnableConfigurationProperties({ RetryProperties.class, BreakerProperties.class })
public final class OutboxRetryAutoConfiguration {

	OutboxRetryAutoConfiguration() {
	}

	@Bean
	@ConditionalOnMissingBean
	RetryPolicy outboxRetryPolicy(RetryProperties properties) {
		return properties.policy();
	}

	@Bean
	@ConditionalOnMissingBean
	OutageClassifier outboxOutageClassifier() {
		return OutageClassifier.standard();
	}

}
