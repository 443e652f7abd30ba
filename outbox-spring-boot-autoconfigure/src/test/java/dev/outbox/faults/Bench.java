package dev.outbox.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.engine.BuiltOutboxes;
import dev.outbox.jdbc.SqlDialects;
import dev.outbox.testsupport.ChildJvm;
import dev.outbox.testsupport.PoolOptions;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A database with the tables of an outbox and of a {@link SmallApplication}, as many
 * nodes of it as wanted, in this process or in others, and the journal of all of them.
 */
final class Bench implements AutoCloseable {

	private final TestDataSource source;

	private final JdbcTemplate jdbc;

	private final Path directory;

	private final Journal journal;

	private final Map<String, String> properties = new HashMap<>();

	private final List<Runnable> nodes = new ArrayList<>();

	/**
	 * Make a bench.
	 * @param database the database
	 * @param properties properties of all nodes without their prefix, as
	 * {@code name=value}
	 */
	Bench(TestDatabase database, String... properties) {
		this.source = database.freshDatabase(PoolOptions.defaults().withMaximumPoolSize(1));
		this.jdbc = new JdbcTemplate(this.source.dataSource());
		try (TestDataSource migrating = this.source.anotherPool()) {
			BuiltOutboxes.build(migrating.dataSource(), null, Map.of("outbox.schema.mode", "migrate"));
		}
		this.jdbc.execute("CREATE TABLE business (event_id VARCHAR(36) PRIMARY KEY)");
		try {
			this.directory = Files.createTempDirectory("outbox-faults");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.journal = new Journal(this.directory.resolve("journal"));
		this.properties.putAll(parse(properties));
	}

	static HikariDataSource pool(String url, String username, String password, int size) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url);
		config.setUsername(username);
		config.setPassword(password);
		config.setMaximumPoolSize(size);
		config.setMinimumIdle(0);
		config.setConnectionTimeout(2_000);
		config.setValidationTimeout(1_000);
		return new HikariDataSource(config);
	}

	/**
	 * Start a node in a process of its own.
	 * @param listensTo the types of events, separated by commas
	 */
	ChildJvm child(String name, String listensTo, String... settings) throws IOException {
		return child(name, listensTo, "", settings);
	}

	/**
	 * Start a node in a process of its own that writes events of the type that it listens
	 * to.
	 */
	ChildJvm writingChild(String name, String type, String... settings) throws IOException {
		return child(name, type, type, settings);
	}

	private ChildJvm child(String name, String listensTo, String writes, String... settings) throws IOException {
		Map<String, String> all = new HashMap<>(this.properties);
		all.putAll(parse(settings));
		all.put("node.writes", writes);
		all.put("node.name", name);
		all.put("node.listens", listensTo);
		all.put("node.url", this.source.url());
		all.put("node.username", this.source.username());
		all.put("node.password", this.source.password());
		all.put("node.journal", this.journal.file().toString());
		ChildJvm child = ChildJvm.start(NodeMain.class, all, log());
		this.nodes.add(child::close);
		return child;
	}

	/**
	 * Make a node in this process that has not been started yet.
	 */
	SmallApplication node(String name, String... settings) {
		return nodeThrough(name, this.source.url(), settings);
	}

	/**
	 * Make a node in this process that has not been started yet and reaches the database
	 * in its own way.
	 */
	SmallApplication nodeThrough(String name, String url, String... settings) {
		return nodeOn(name, pool(url, this.source.username(), this.source.password(), 10), settings);
	}

	SmallApplication nodeOn(String name, HikariDataSource pool, String... settings) {
		Map<String, String> all = new HashMap<>(this.properties);
		all.putAll(parse(settings));
		all.put("outbox.name", name);
		SmallApplication node = new SmallApplication(name, pool, this.journal, all);
		this.nodes.add(node::close);
		return node;
	}

	TestDataSource source() {
		return this.source;
	}

	/**
	 * Runs statements on a connection that no node uses.
	 */
	JdbcTemplate jdbc() {
		return this.jdbc;
	}

	Journal journal() {
		return this.journal;
	}

	static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(20));
	}

	long count(String table, String where) {
		Long count = this.jdbc.queryForObject("SELECT COUNT(*) FROM %s WHERE %s".formatted(table, where), Long.class);
		return (count != null) ? count : 0;
	}

	Set<String> business() {
		return new HashSet<>(this.jdbc.queryForList("SELECT event_id FROM business", String.class));
	}

	/**
	 * Wait until everything that was committed is delivered and recorded, and see that
	 * nothing else was delivered.
	 */
	void awaitAllDelivered() {
		await().untilAsserted(() -> assertThat(unfinished()).as("unfinished").isEmpty());
		assertThat(this.journal.eventIds()).isEqualTo(business());
	}

	private List<Map<String, Object>> unfinished() {
		return this.jdbc.queryForList("""
				SELECT event_id, status, owner, claim, reclaims, attempts FROM outbox_event
				WHERE status <> 1 LIMIT 5""");
	}

	/**
	 * End all sessions of this database but the one that does it.
	 */
	void killSessions() {
		if (this.source.database() == TestDatabase.POSTGRESQL) {
			this.jdbc.queryForList("""
					SELECT pg_terminate_backend(pid) FROM pg_stat_activity
					WHERE datname = current_database() AND pid <> pg_backend_pid()""");
			return;
		}
		for (Long session : this.jdbc.queryForList("""
				SELECT id FROM information_schema.processlist
				WHERE db = DATABASE() AND id <> CONNECTION_ID()""", Long.class)) {
			try {
				this.jdbc.execute("KILL CONNECTION " + session);
			}
			catch (DataAccessException ex) {
				// it has just ended by itself
			}
		}
	}

	/**
	 * Wait until another few events were written and delivered.
	 */
	void awaitProgress() {
		Set<String> before = business();
		await().until(() -> {
			Set<String> news = business();
			news.removeAll(before);
			news.retainAll(this.journal.eventIds());
			return news.size() >= 20;
		});
	}

	/**
	 * Wait until the database says that a node's lease is over.
	 */
	void awaitLeaseOver(Long nodeId) {
		String now = SqlDialects.detect(this.source.dataSource()).now();
		await().until(() -> count("outbox_node", "node_id = %d AND expires_at < %s".formatted(nodeId, now)) == 1);
	}

	private Path log() {
		return this.directory.resolve("children.log");
	}

	private static Map<String, String> parse(String... properties) {
		Map<String, String> values = new HashMap<>();
		for (String property : properties) {
			int equals = property.indexOf('=');
			values.put("outbox." + property.substring(0, equals), property.substring(equals + 1));
		}
		return values;
	}

	@Override
	public void close() {
		Collections.reverse(this.nodes);
		this.nodes.forEach(Runnable::run);
		this.source.close();
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
