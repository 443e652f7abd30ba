package dev.outbox.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import dev.outbox.testsupport.PoolOptions;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Any number of nodes of one outbox on a database of its own.
 */
final class OutboxNodes implements AutoCloseable {

	private final TestDataSource dataSource;

	private final JdbcTransactionManager transactionManager;

	private final List<Outbox> nodes = new ArrayList<>();

	OutboxNodes(TestDatabase database) {
		this(database, PoolOptions.defaults());
	}

	OutboxNodes(TestDatabase database, PoolOptions options) {
		this.dataSource = database.freshDatabase(options);
		this.transactionManager = new JdbcTransactionManager(this.dataSource.dataSource());
	}

	/**
	 * Build a node that has not been started yet.
	 * @param properties its properties without their prefix, as {@code name=value}
	 */
	Outbox node(String... properties) {
		return node((builder) -> builder, properties);
	}

	/**
	 * Build a node that has not been started yet.
	 * @param customizer has the last word on what it is made of
	 * @param properties its properties without their prefix, as {@code name=value}
	 */
	Outbox node(UnaryOperator<OutboxBuilder> customizer, String... properties) {
		Map<String, String> values = new HashMap<>(Map.of("outbox.schema.mode", "migrate"));
		for (String property : properties) {
			int equals = property.indexOf('=');
			values.put("outbox." + property.substring(0, equals), property.substring(equals + 1));
		}
		OutboxBuilder builder = Outbox.builder()
			.binder(new Binder(new MapConfigurationPropertySource(values)))
			.dataSource(this.dataSource.dataSource())
			.transactionManager(this.transactionManager)
			.settings("outbox");
		Outbox node = customizer.apply(builder).build();
		this.nodes.add(node);
		return node;
	}

	TestDataSource dataSource() {
		return this.dataSource;
	}

	TransactionTemplate transactions() {
		return new TransactionTemplate(this.transactionManager);
	}

	JdbcTemplate jdbc() {
		return new JdbcTemplate(this.dataSource.dataSource());
	}

	/**
	 * Write events in one transaction.
	 */
	void write(Outbox node, int count, String eventType) {
		transactions().executeWithoutResult((status) -> {
			for (int i = 0; i < count; i++) {
				node.writer().write(eventType, "{}");
			}
		});
	}

	/**
	 * Count the events of a status as it is stored.
	 */
	long count(String where) {
		Long count = jdbc().queryForObject("SELECT COUNT(*) FROM outbox_event WHERE " + where, Long.class);
		return (count != null) ? count : 0;
	}

	@Override
	public void close() {
		this.nodes.forEach(Outbox::stop);
		this.dataSource.close();
	}

}
