package dev.outbox.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.jdbc.ShortTransactions;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;

/**
 * What operators see and do: find and count events, replay and discard dead ones, purge
 * old ones. Every change repeats in its statement the condition under which it is right,
 * so doing it twice, or while something else happens to the event, does it once or not at
 * all.
 */
public final class EventAdmin {

	private final ShortTransactions transactions;

	private final EventTable table;

	public EventAdmin(OutboxDatabase database) {
		this.transactions = database.transactions();
		this.table = new EventTable(database);
	}

	/**
	 * List events of a status, those that are due or finished first before the others.
	 * @param status the status
	 * @param filter which of them
	 * @param after where to go on
	 * @param limit how many at most
	 * @return the events
	 */
	public EventPage find(EventStatus status, EventFilter filter, EventPage.Cursor after, int limit) {
		MapSqlParameterSource parameters = new MapSqlParameterSource("limit", limit)
			.addValue("availableAt", after.availableAt())
			.addValue("sequence", after.sequence());
		String conditions = filter.conditions(parameters);
		List<EventRecord> events = lanes(status)
			.flatMap((lane) -> this.transactions.jdbc()
				.query(this.table.sql("""
						SELECT {columns} FROM {event}
						WHERE %s %s
						AND available_at >= :availableAt AND (available_at > :availableAt OR seq > :sequence)
						ORDER BY %s, seq LIMIT :limit""".formatted(lane.condition(), conditions, lane.order())),
						parameters, EventTable.ROW_MAPPER)
				.stream())
			.sorted(EventTable.CLAIM_ORDER)
			.limit(limit)
			.toList();
		if (events.size() < limit) {
			return new EventPage(events, null);
		}
		EventRecord last = events.get(events.size() - 1);
		return new EventPage(events, new EventPage.Cursor(EventTable.micros(last.availableAt()), last.sequence()));
	}

	/**
	 * Count events of a status.
	 * @param status the status
	 * @param filter which of them
	 * @return how many there are
	 */
	public long count(EventStatus status, EventFilter filter) {
		MapSqlParameterSource parameters = new MapSqlParameterSource();
		String conditions = filter.conditions(parameters);
		return lanes(status).mapToLong((lane) -> {
			Long count = this.transactions.jdbc()
				.queryForObject(
						this.table
							.sql("SELECT COUNT(*) FROM {event} WHERE %s %s".formatted(lane.condition(), conditions)),
						parameters, Long.class);
			return (count != null) ? count : 0;
		}).sum();
	}

	private static Stream<Lane> lanes(EventStatus status) {
		return status.isPending() ? Stream.of(Lane.unclaimed(status), Lane.claimed(status))
				: Stream.of(Lane.unclaimed(status));
	}

	/**
	 * Look up an event.
	 * @param eventId its id
	 * @return the event, or {@code null} if there is none
	 */
	public @Nullable EventRecord get(String eventId) {
		return this.transactions.jdbc()
			.query(this.table.sql("SELECT {columns} FROM {event} WHERE event_id = :id"), Map.of("id", eventId),
					EventTable.ROW_MAPPER)
			.stream()
			.findFirst()
			.orElse(null);
	}

	/**
	 * Make a dead event new again. What its listeners have done already stays recorded.
	 * @param eventId its id
	 * @return whether it was dead
	 */
	public boolean replay(String eventId) {
		return this.transactions.writeOne(() -> replay(List.of(eventId))) == 1;
	}

	/**
	 * Make dead events new again, those that died first before the others.
	 * @param filter which of them
	 * @param limit how many at most
	 * @return how many were replayed
	 */
	public int replayAll(EventFilter filter, int limit) {
		int replayed = 0;
		int count = -1;
		while (replayed < limit && count != 0) {
			int batch = Math.min(limit - replayed, EventTable.MAX_IDS);
			count = this.transactions.write(() -> replay(lockUnclaimed(EventStatus.DEAD, filter, null, batch)));
			replayed += count;
		}
		return replayed;
	}

	private int replay(List<String> ids) {
		return ids.isEmpty() ? 0 : this.transactions.jdbc().update(this.table.sql("""
				UPDATE {event} SET status = 0, attempts = 0, reclaims = 0, claim = claim + 1, done_at = NULL,
				  available_at = {now}
				WHERE event_id IN (:ids) AND status = 3"""), Map.of("ids", ids));
	}

	/**
	 * Delete a dead event.
	 * @param eventId its id
	 * @return whether it was dead
	 */
	public boolean discard(String eventId) {
		return this.transactions.writeOne(() -> this.transactions.jdbc()
			.update(this.table.sql("DELETE FROM {event} WHERE event_id = :id AND status = 3"),
					Map.of("id", eventId))) == 1;
	}

	/**
	 * Delete events that were finished long ago.
	 * @param status DONE or DEAD
	 * @param age how long ago, by the database's clock
	 * @param limit how many at most; no call deletes more than 500
	 * @return how many were deleted
	 */
	public int purge(EventStatus status, Duration age, int limit) {
		if (status.isPending()) {
			throw new IllegalArgumentException("Unfinished events are not purged");
		}
		return this.transactions.write(() -> {
			List<String> ids = lockUnclaimed(status, EventFilter.NONE, age, Math.min(limit, EventTable.MAX_IDS));
			return delete(ids, "status = " + status.code(), age);
		});
	}

	/**
	 * Delete events that should have been delivered long ago and that nobody has claimed.
	 * @param age how long ago they were due, by the database's clock
	 * @param limit how many at most; no call deletes more than 500
	 * @return how many were deleted
	 */
	public int purgeUnfinished(Duration age, int limit) {
		return this.transactions.write(() -> {
			int most = Math.min(limit, EventTable.MAX_IDS);
			List<String> ids = new ArrayList<>(lockUnclaimed(EventStatus.NEW, EventFilter.NONE, age, most));
			if (ids.size() < most) {
				ids.addAll(lockUnclaimed(EventStatus.RETRY, EventFilter.NONE, age, most - ids.size()));
			}
			return delete(ids, EventTable.CLAIMABLE, age);
		});
	}

	private int delete(List<String> ids, String condition, Duration age) {
		return ids.isEmpty() ? 0 : this.transactions.jdbc()
			.update(this.table
				.sql("DELETE FROM {event} WHERE event_id IN (:ids) AND %s AND %s".formatted(condition, olderThan(age))),
					new MapSqlParameterSource("ids", ids).addValue("age", micros(age)));
	}

	/**
	 * Ask the database what time it is.
	 * @return the time by the clock that all other times come from
	 */
	public Instant now() {
		Long now = this.transactions.jdbc().queryForObject(this.table.sql("SELECT {now}"), Map.of(), Long.class);
		return EventTable.time(Objects.requireNonNull(now));
	}

	private List<String> lockUnclaimed(EventStatus status, EventFilter filter, @Nullable Duration age, int limit) {
		MapSqlParameterSource parameters = new MapSqlParameterSource("limit", limit).addValue("age", micros(age));
		Lane lane = Lane.unclaimed(status);
		String condition = "%s AND %s %s".formatted(lane.condition(), olderThan(age), filter.conditions(parameters));
		List<String> found = this.transactions.jdbc()
			.query(this.table
				.sql("SELECT event_id FROM {event} WHERE " + condition + " ORDER BY " + lane.order() + " LIMIT :limit"),
					parameters, EventTable.EVENT_ID);
		if (found.isEmpty()) {
			return found;
		}
		return this.transactions.jdbc()
			.query(this.table.sql("SELECT event_id FROM {event} {byPrimaryKey} WHERE event_id IN (:ids) AND "
					+ condition + " {forUpdateSkipLocked}"), parameters.addValue("ids", found), EventTable.EVENT_ID);
	}

	private static String olderThan(@Nullable Duration age) {
		return (age != null) ? "available_at < {now} - :age" : "1 = 1";
	}

	private static @Nullable Long micros(@Nullable Duration age) {
		return (age != null) ? age.toNanos() / 1000 : null;
	}

	/**
	 * Events of a status that one index finds in order.
	 */
	private record Lane(String condition, String order) {

		static Lane unclaimed(EventStatus status) {
			String condition = status.isPending() ? EventTable.CLAIMABLE : "owner IS NULL";
			return new Lane(condition + " AND status = " + status.code(), "{fixed}available_at");
		}

		static Lane claimed(EventStatus status) {
			return new Lane("owner IS NOT NULL AND status = " + status.code(), "available_at");
		}

	}

}
