package dev.outbox.listener.elsewhere;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxListener;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An application in a package of its own, none of whose listeners is public.
 */
@Configuration(proxyBeanMethods = false)
public class ElsewhereApplication {

	@Bean
	HiddenListener hiddenListener() {
		return new HiddenListener();
	}

	@OutboxEvent
	record Hidden() {

	}

	static class HiddenListener {

		@OutboxListener
		void on(Hidden event) {
		}

	}

}
