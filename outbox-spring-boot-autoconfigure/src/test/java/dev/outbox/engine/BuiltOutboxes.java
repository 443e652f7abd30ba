package dev.outbox.engine;

import java.util.HashMap;
import java.util.Map;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/**
 * Builds outboxes for tests of other packages in the way the auto-configuration does it,
 * which knows the size of the pool.
 */
public final class BuiltOutboxes {

	private BuiltOutboxes() {
	}

	/**
	 * Build an outbox on tables that are there.
	 * @param dataSource its DataSource
	 * @param poolSize how many connections that has, if it is known
	 * @param properties its properties
	 */
	public static Outbox build(DataSource dataSource, @Nullable Integer poolSize, Map<String, String> properties) {
		Map<String, String> values = new HashMap<>(properties);
		values.putIfAbsent("outbox.schema.mode", "none");
		return Outbox.builder()
			.poolSizes((pool) -> poolSize)
			.dataSource(dataSource)
			.settings(OutboxSettings.bind(new Binder(new MapConfigurationPropertySource(values)), "outbox"))
			.build();
	}

}
