package dev.outbox.engine;

import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that times which cannot be meant are refused by name.
 */
class ImpossibleSettingsTests {

	@ParameterizedTest
	@CsvSource({ "dispatch.listener-timeout, 0s, must be positive if it is set",
			"dispatch.listener-timeout, -1s, must be positive if it is set",
			"dispatch.stuck-warning, 0s, must be positive", "dispatch.stuck-warning, -1s, must be positive",
			"dispatch.unroutable-after, -1s, must not be negative", "shutdown.drain, 0s, must be positive",
			"shutdown.drain, -1s, must be positive", "purge.done-after, -1s, must not be negative",
			"purge.dead-after, -1s, must not be negative", "purge.unfinished-after, -1s, must not be negative",
			"retry.max-deferral, 3654d, must be at most 10 years" })
	void timesThatCannotBeMeantAreRefused(String property, String value, String expected) {
		assertThatExceptionOfType(BindException.class).isThrownBy(() -> bind(property, value))
			.havingRootCause()
			.isInstanceOf(IllegalArgumentException.class)
			.withMessageContaining(property.substring(property.indexOf('.') + 1))
			.withMessageContaining(expected);
	}

	@ParameterizedTest
	@CsvSource({ "dispatch.listener-timeout, 1ms", "dispatch.stuck-warning, 1ms", "dispatch.unroutable-after, 0s",
			"shutdown.drain, 1ms", "purge.done-after, 0s", "purge.dead-after, 0s", "purge.unfinished-after, 0s",
			"retry.max-deferral, 0s", "retry.max-deferral, 3653d" })
	void theirLimitsAreNot(String property, String value) {
		assertThatCode(() -> bind(property, value)).doesNotThrowAnyException();
	}

	private static OutboxSettings bind(String property, String value) {
		return OutboxSettings.bind(new Binder(new MapConfigurationPropertySource(Map.of("outbox." + property, value))),
				"outbox");
	}

}
