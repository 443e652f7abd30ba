package dev.outbox.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

import dev.outbox.EventPayload;
import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.jdbc.OutboxTables;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.RowMapper;

/**
 * What all statements about events share: the table's name in them, its columns, and how
 * long lists of ids are cut.
 */
final class EventTable {

	/**
	 * How many ids a statement names at most.
	 */
	static final int MAX_IDS = 500;

	/**
	 * Both conditions stand literally in the definition of the partial index.
	 */
	static final String CLAIMABLE = "owner IS NULL AND status IN (0, 2)";

	static final Comparator<EventRecord> CLAIM_ORDER = Comparator.comparing(EventRecord::availableAt)
		.thenComparingLong(EventRecord::sequence);

	static final RowMapper<EventRecord> ROW_MAPPER = (row, number) -> read(row);

	static final RowMapper<String> EVENT_ID = (row, number) -> row.getString(1);

	private final OutboxDatabase database;

	EventTable(OutboxDatabase database) {
		this.database = database;
	}

	/**
	 * Put the table's name and the database's way of saying things into a statement.
	 * @param statement a statement with {@code {event}}, {@code {now}} and the like
	 * @return the statement for this database
	 */
	String sql(String statement) {
		return statement.replace("{event}", this.database.tables().event())
			.replace("{now}", this.database.dialect().now())
			.replace("{columns}", OutboxTables.EVENT_COLUMNS)
			.replace("{claimable}", CLAIMABLE)
			.replace("{position}", this.database.dialect().positionFunction())
			.replace("{fixed}", this.database.dialect().fixedColumnsOfOrder())
			.replace("{byPrimaryKey}", this.database.dialect().byPrimaryKey())
			.replace("{forUpdateSkipLocked}", this.database.dialect().forUpdateSkipLocked());
	}

	/**
	 * Cut a list of values into pieces for one statement each. Pieces are filled up with
	 * their last value to a power of two, so that there are few different statements for
	 * the database to prepare.
	 */
	static <T, V> List<List<V>> pieces(List<T> items, Function<T, V> value) {
		List<List<V>> pieces = new ArrayList<>();
		for (int from = 0; from < items.size(); from += MAX_IDS) {
			List<V> piece = new ArrayList<>();
			for (T item : items.subList(from, Math.min(items.size(), from + MAX_IDS))) {
				piece.add(value.apply(item));
			}
			int size = (piece.size() == 1) ? 1 : Integer.highestOneBit(piece.size() - 1) << 1;
			piece.addAll(Collections.nCopies(size - piece.size(), piece.get(piece.size() - 1)));
			pieces.add(piece);
		}
		return pieces;
	}

	static long micros(Instant time) {
		return ChronoUnit.MICROS.between(Instant.EPOCH, time);
	}

	static Instant time(long micros) {
		return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
	}

	private static EventRecord read(ResultSet row) throws SQLException {
		return new EventRecord(row.getString(1), row.getLong(2), EventStatus.of(row.getInt(3)), longOrNull(row, 4),
				row.getInt(5), row.getInt(6), row.getInt(7), row.getInt(8), time(row.getLong(9)), time(row.getLong(10)),
				time(row.getLong(11)), timeOrNull(row, 12), row.getString(13), row.getString(14), row.getString(15),
				row.getString(16), row.getString(17), row.getString(18), payload(row), row.getString(21),
				row.getString(22));
	}

	private static @Nullable EventPayload payload(ResultSet row) throws SQLException {
		String text = row.getString(19);
		if (text != null) {
			return EventPayload.text(text);
		}
		byte[] bytes = row.getBytes(20);
		return (bytes != null) ? EventPayload.bytes(bytes) : null;
	}

	private static @Nullable Long longOrNull(ResultSet row, int column) throws SQLException {
		long value = row.getLong(column);
		return row.wasNull() ? null : value;
	}

	private static @Nullable Instant timeOrNull(ResultSet row, int column) throws SQLException {
		Long micros = longOrNull(row, column);
		return (micros != null) ? time(micros) : null;
	}

}
