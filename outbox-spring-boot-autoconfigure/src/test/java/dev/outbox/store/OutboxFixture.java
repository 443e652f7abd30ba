package dev.outbox.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import dev.outbox.EventEnvelope;
import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.jdbc.OutboxSchema;
import dev.outbox.jdbc.OutboxTables;
import dev.outbox.jdbc.SchemaMode;
import dev.outbox.jdbc.ShortTransactions;
import dev.outbox.jdbc.SqlDialect;
import dev.outbox.jdbc.SqlDialects;
import dev.outbox.node.NodeTable;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An outbox's tables in a real database, emptied for each test, and all operations on
 * them.
 */
public final class OutboxFixture {

	private static final Map<TestDatabase, OutboxFixture> shared = new EnumMap<>(TestDatabase.class);

	private static final AtomicInteger counter = new AtomicInteger();

	public final TestDataSource source;

	public final OutboxDatabase database;

	public final JdbcTemplate jdbc;

	public final EventAppender appender;

	public final EventClaims claims;

	public final NodeClaims nodeClaims;

	public final EventSettlement settlement;

	public final EventSettlement deletingSettlement;

	public final EventAdmin admin;

	public final NodeTable nodes;

	private OutboxFixture(TestDataSource source, boolean migrate) {
		this.source = source;
		this.database = database(source.dataSource());
		if (migrate) {
			new OutboxSchema(source.dataSource(), this.database.dialect(), this.database.tables(), SchemaMode.MIGRATE)
				.afterPropertiesSet();
		}
		this.jdbc = new JdbcTemplate(source.dataSource());
		this.appender = new EventAppender(this.database);
		this.claims = new EventClaims(this.database);
		this.nodeClaims = new NodeClaims(this.database);
		this.settlement = new EventSettlement(this.database, Completion.KEEP);
		this.deletingSettlement = new EventSettlement(this.database, Completion.DELETE);
		this.admin = new EventAdmin(this.database);
		this.nodes = new NodeTable(this.database);
	}

	/**
	 * Returns the tables that all tests of a database share, without rows.
	 */
	public static synchronized OutboxFixture empty(TestDatabase database) {
		OutboxFixture fixture = shared.computeIfAbsent(database,
				(missing) -> new OutboxFixture(missing.freshDatabase(), true));
		fixture.jdbc.update("DELETE FROM outbox_event");
		fixture.jdbc.update("DELETE FROM outbox_node");
		return fixture;
	}

	/**
	 * Creates tables in a database of the test's own.
	 */
	public static OutboxFixture in(TestDataSource source) {
		return new OutboxFixture(source, true);
	}

	/**
	 * Returns the same tables through another pool.
	 */
	public static OutboxFixture through(TestDataSource source) {
		return new OutboxFixture(source, false);
	}

	public static OutboxDatabase database(DataSource dataSource) {
		SqlDialect dialect = SqlDialects.detect(dataSource);
		OutboxTables tables = new OutboxTables(dialect, null, "outbox_event");
		return new OutboxDatabase(dataSource, dialect, tables,
				new ShortTransactions(dataSource, dialect, tables, Duration.ofSeconds(5)));
	}

	public static EventEnvelope event(UnaryOperator<EventEnvelope.Builder> with) {
		return with.apply(EventEnvelope.builder("OrderPlaced").payloadJson("{\"n\":" + counter.incrementAndGet() + "}"))
			.build();
	}

	public static EventEnvelope event() {
		return event(UnaryOperator.identity());
	}

	public static List<EventEnvelope> events(int count) {
		List<EventEnvelope> events = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			events.add(event());
		}
		return events;
	}

	/**
	 * Appends events that nobody has claimed, in a transaction of their own.
	 */
	public void append(EventEnvelope... events) {
		append(null, Arrays.asList(events));
	}

	public void append(@Nullable Long owner, List<EventEnvelope> events) {
		this.database.transactions().write(() -> {
			List<NewEvent> rows = events.stream().map((event) -> new NewEvent(event, 0, owner)).toList();
			new JdbcTemplate(this.database.dataSource()).execute((ConnectionCallback<Boolean>) (connection) -> {
				this.appender.append(connection, rows);
				return true;
			});
			return rows.size();
		});
	}

	/**
	 * Appends an event of type {@code Business} as an application does, with the pool's
	 * own isolation level.
	 */
	public void appendInBusinessTransaction(String eventId) {
		EventEnvelope event = EventEnvelope.builder("Business").eventId(eventId).payloadJson("{}").build();
		DataSource dataSource = this.source.dataSource();
		new TransactionTemplate(new JdbcTransactionManager(dataSource)).executeWithoutResult(
				(status) -> new JdbcTemplate(dataSource).execute((ConnectionCallback<Boolean>) (connection) -> {
					this.appender.append(connection, List.of(new NewEvent(event, 0, null)));
					return true;
				}));
	}

	public EventRecord row(String eventId) {
		EventRecord row = this.admin.get(eventId);
		if (row == null) {
			throw new AssertionError("There is no event " + eventId);
		}
		return row;
	}

	public long rows() {
		Long count = this.jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event", Long.class);
		return (count != null) ? count : 0;
	}

	/**
	 * Lets time pass for an event by moving it into the past.
	 */
	public void age(String eventId, Duration by) {
		this.jdbc.update(
				"UPDATE outbox_event SET available_at = available_at - ?, created_at = created_at - ? WHERE event_id = ?",
				by.toNanos() / 1000, by.toNanos() / 1000, eventId);
	}

	public List<EventRecord> claimAll(long owner) {
		return this.claims.claim(owner, EventSelection.all(), 1000);
	}

	public static List<String> ids(List<EventRecord> records) {
		return records.stream().map(EventRecord::eventId).toList();
	}

	public static List<String> idsOf(List<EventEnvelope> envelopes) {
		return envelopes.stream().map(EventEnvelope::eventId).toList();
	}

}
