package dev.outbox.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import dev.outbox.DuplicateEventException;
import dev.outbox.EventEnvelope;
import dev.outbox.EventPayload;
import dev.outbox.OutboxException;
import dev.outbox.jdbc.OutboxDatabase;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;

/**
 * Inserts events with the connection of the caller's transaction: one statement for many
 * events, cut only where a statement would get too many parameters or too many bytes.
 */
public final class EventAppender {

	private static final int MAX_ROWS = 500;

	/**
	 * Well below the 16 MB that MariaDB takes in one packet by default.
	 */
	private static final long MAX_BYTES = 4L << 20;

	private static final long OTHER_FIELDS = 1024;

	private static final int PARAMETERS_PER_ROW = 14;

	private static final String INSERT = """
			INSERT INTO {event} (event_id, event_type, aggregate_type, aggregate_id, event_key, tenant_id, headers, \
			payload, payload_bytes, partition_no, occurred_at, owner, claim, created_at, available_at) VALUES\s""";

	private final OutboxDatabase database;

	private final SQLExceptionTranslator translator = new SQLExceptionSubclassTranslator();

	private final String insert;

	private final String rowDueAfter;

	private final String rowDueAt;

	private final String insertOne;

	public EventAppender(OutboxDatabase database) {
		this.database = database;
		EventTable table = new EventTable(database);
		this.insert = table.sql(INSERT);
		this.rowDueAfter = table.sql("(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {now}, {now} + ?)");
		this.rowDueAt = table.sql("(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {now}, ?)");
		this.insertOne = this.insert + this.rowDueAfter;
	}

	/**
	 * Insert events in the given order.
	 * @param connection the connection of the transaction to write in
	 * @param events the events
	 * @throws DuplicateEventException if one of the ids is taken
	 */
	public void append(Connection connection, List<NewEvent> events) {
		append(connection, this.database.dataSource(), events);
	}

	/**
	 * Insert events in the given order.
	 * @param connection the connection of the transaction to write in
	 * @param boundTo the DataSource under which the transaction is bound, for its
	 * time-out
	 * @param events the events
	 * @throws DuplicateEventException if one of the ids is taken
	 */
	public void append(Connection connection, DataSource boundTo, List<NewEvent> events) {
		int maxRows = Math.min(MAX_ROWS, this.database.dialect().maxParameters() / PARAMETERS_PER_ROW);
		int from = 0;
		while (from < events.size()) {
			int to = from;
			long bytes = 0;
			do {
				bytes += size(events.get(to++));
			}
			while (to < events.size() && to - from < maxRows && bytes + size(events.get(to)) <= MAX_BYTES);
			insert(connection, boundTo, events.subList(from, to));
			from = to;
		}
	}

	private static long size(NewEvent event) {
		return OTHER_FIELDS + event.envelope().payloadSize() + event.envelope().headersSize();
	}

	private void insert(Connection connection, DataSource boundTo, List<NewEvent> events) {
		String sql = statementFor(events);
		try (PreparedStatement statement = connection.prepareStatement(sql)) {
			DataSourceUtils.applyTransactionTimeout(statement, boundTo);
			int index = 1;
			for (NewEvent event : events) {
				index = bind(statement, index, event);
			}
			int inserted = statement.executeUpdate();
			if (inserted != events.size()) {
				throw new OutboxException(
						"The database says that it inserted %d of %d events".formatted(inserted, events.size()));
			}
		}
		catch (SQLException ex) {
			throw translate(sql, ex, events.size());
		}
	}

	private String statementFor(List<NewEvent> events) {
		if (events.size() == 1 && events.get(0).envelope().availableAt() == null) {
			return this.insertOne;
		}
		return events.stream()
			.map((event) -> (event.envelope().availableAt() != null) ? this.rowDueAt : this.rowDueAfter)
			.collect(Collectors.joining(", ", this.insert, ""));
	}

	private int bind(PreparedStatement statement, int index, NewEvent event) throws SQLException {
		EventEnvelope envelope = event.envelope();
		statement.setString(index++, envelope.eventId());
		statement.setString(index++, envelope.eventType());
		statement.setString(index++, envelope.aggregateType());
		statement.setString(index++, envelope.aggregateId());
		statement.setString(index++, envelope.key());
		statement.setString(index++, envelope.tenantId());
		statement.setString(index++, HeadersJson.write(envelope.headers()));
		if (envelope.payload() instanceof EventPayload.Text text) {
			statement.setString(index++, text.value());
			statement.setNull(index++, Types.BINARY);
		}
		else {
			statement.setNull(index++, Types.VARCHAR);
			statement.setBytes(index++, envelope.payloadBytes());
		}
		statement.setInt(index++, event.partition());
		statement.setLong(index++, EventTable.micros(envelope.occurredAt()));
		Long owner = event.owner();
		if (owner != null) {
			statement.setLong(index++, owner);
			statement.setInt(index++, Claim.BORN);
		}
		else {
			statement.setNull(index++, Types.BIGINT);
			statement.setInt(index++, 0);
		}
		statement.setLong(index++, due(envelope.availableAt(), envelope.deliverAfter()));
		return index;
	}

	private static long due(@Nullable Instant availableAt, @Nullable Duration deliverAfter) {
		if (availableAt != null) {
			return EventTable.micros(availableAt);
		}
		return (deliverAfter != null) ? deliverAfter.toNanos() / 1000 : 0;
	}

	/**
	 * Messages about unfit values quote them on some databases, so those are not passed
	 * on.
	 */
	private RuntimeException translate(String sql, SQLException failure, int size) {
		if (this.database.dialect().isDuplicateKey(failure)) {
			return new DuplicateEventException((size == 1) ? "An event with this id is in the outbox already"
					: "One of these %d events is in the outbox already, or two of them have one id".formatted(size));
		}
		DataAccessException translated = this.translator.translate("Outbox insert", sql, failure);
		if (translated instanceof DataIntegrityViolationException || this.database.dialect().isUnfitValue(failure)) {
			return new OutboxException(
					"The database refused an event for its content (SQL state %s, code %d). Its message is withheld because it may quote the event"
						.formatted(failure.getSQLState(), failure.getErrorCode()));
		}
		return (translated != null) ? translated : new UncategorizedSQLException("Outbox insert", sql, failure);
	}

}
