package dev.outbox.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.jdbc.ShortTransactions;

import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;

/**
 * Who may deliver which event.
 * <p>
 * Claiming takes the events that are due, in the order in which they became due, and
 * gives no event to two claimers:
 * <ol>
 * <li>Where an update can return rows, one statement finds, locks, marks and reads them.
 * <li>Elsewhere a plain read finds candidates, more than needed in case a rival has some
 * of them. They are locked by primary key, which passes over what is locked and locks
 * nothing else, and what still qualifies is marked, all in one short transaction. That
 * marking finds every locked row claimable is checked, not assumed.
 * </ol>
 * Either way no lock of ours covers a gap that a business transaction may insert into.
 */
public final class EventClaims {

	private static final int CANDIDATES_PER_EVENT = 4;

	private static final Comparator<Candidate> CANDIDATE_ORDER = Comparator.comparingLong(Candidate::availableAt)
		.thenComparingLong(Candidate::sequence);

	private static final String CLAIM = """
			WITH due AS MATERIALIZED (
			  SELECT event_id FROM {event}
			  WHERE {claimable} AND available_at <= {now} %s
			  ORDER BY available_at, seq LIMIT :limit {forUpdateSkipLocked})
			UPDATE {event} SET owner = :owner, claim = claim + 1
			WHERE event_id IN (SELECT event_id FROM due)
			RETURNING {columns}""";

	private static final String FIND_CANDIDATES = """
			SELECT event_id, available_at, seq FROM {event}
			WHERE owner IS NULL AND status = %d AND available_at <= {now} %s
			ORDER BY {fixed}available_at, seq LIMIT :limit""";

	private static final String LOCK = """
			SELECT {columns} FROM {event} {byPrimaryKey}
			WHERE event_id IN (:ids) AND {claimable} AND available_at <= {now}
			{forUpdateSkipLocked}""";

	private static final String MARK = """
			UPDATE {event} SET owner = :owner, claim = claim + 1 WHERE event_id IN (:ids) AND {claimable}""";

	private static final String WAITING_TYPES = """
			SELECT DISTINCT event_type FROM (
			  SELECT event_type, aggregate_type FROM {event}
			  WHERE owner IS NULL AND status = 0 AND available_at <= {now} - :overdue
			  ORDER BY {fixed}available_at, seq LIMIT 1000) oldest
			WHERE 1 = 1 %s""";

	private static final String VERIFY = """
			SELECT event_id, claim FROM {event}
			WHERE event_id IN (:ids) AND owner = :owner AND status IN (0, 2)""";

	private static final String READ = """
			SELECT {columns} FROM {event}
			WHERE event_id IN (:ids) AND owner = :owner AND status IN (0, 2)""";

	private static final String RELEASE = """
			UPDATE {event} SET owner = NULL WHERE event_id IN (:ids) AND owner = :owner AND claim = :number""";

	private static final String COUNT_ATTEMPT = """
			UPDATE {event} SET attempts = attempts + 1 WHERE event_id IN (:ids) AND owner = :owner AND claim = :number""";

	private final ShortTransactions transactions;

	private final EventTable table;

	private final boolean returning;

	private final String claim;

	private final String findCandidates;

	private final String lock;

	private final String mark;

	private final String waitingTypes;

	private final String verify;

	private final String read;

	private final String release;

	private final String countAttempt;

	public EventClaims(OutboxDatabase database) {
		this.transactions = database.transactions();
		this.returning = database.dialect().canReturnUpdatedRows();
		this.table = new EventTable(database);
		this.claim = this.table.sql(CLAIM);
		this.findCandidates = this.table.sql(FIND_CANDIDATES);
		this.lock = this.table.sql(LOCK);
		this.mark = this.table.sql(MARK);
		this.waitingTypes = this.table.sql(WAITING_TYPES);
		this.verify = this.table.sql(VERIFY);
		this.read = this.table.sql(READ);
		this.release = this.table.sql(RELEASE);
		this.countAttempt = this.table.sql(COUNT_ATTEMPT);
	}

	/**
	 * Claim events that are due.
	 * @param owner the node that claims
	 * @param selection which kinds of events to claim
	 * @param limit how many at most
	 * @return the claimed events in claim order
	 */
	public List<EventRecord> claim(long owner, EventSelection selection, int limit) {
		if (selection.isEmpty() || limit <= 0) {
			return List.of();
		}
		List<EventRecord> claimed = this.returning
				? this.transactions.writeOne(() -> claimReturning(owner, selection, limit))
				: this.transactions.write(() -> claimLocking(owner, selection, limit));
		return claimed.stream().sorted(EventTable.CLAIM_ORDER).toList();
	}

	private List<EventRecord> claimReturning(long owner, EventSelection selection, int limit) {
		MapSqlParameterSource parameters = new MapSqlParameterSource("owner", owner).addValue("limit", limit);
		String condition = this.table.sql(selection.condition(parameters));
		return this.transactions.jdbc().query(this.claim.formatted(condition), parameters, EventTable.ROW_MAPPER);
	}

	private List<EventRecord> claimLocking(long owner, EventSelection selection, int limit) {
		List<String> candidates = candidates(selection, limit * CANDIDATES_PER_EVENT);
		List<EventRecord> locked = new ArrayList<>();
		for (int from = 0; from < candidates.size() && locked.size() < limit;) {
			int to = Math.min(candidates.size(), from + Math.min(limit - locked.size(), EventTable.MAX_IDS));
			List<String> ids = EventTable.pieces(candidates.subList(from, to), (id) -> id).get(0);
			locked.addAll(this.transactions.jdbc().query(this.lock, Map.of("ids", ids), EventTable.ROW_MAPPER));
			from = to;
		}
		int marked = 0;
		for (List<String> ids : EventTable.pieces(locked, EventRecord::eventId)) {
			marked += this.transactions.jdbc().update(this.mark, Map.of("owner", owner, "ids", ids));
		}
		if (marked != locked.size()) {
			throw new PessimisticLockingFailureException("%d events were locked, but %d of them are claimed by others"
				.formatted(locked.size(), locked.size() - marked));
		}
		return locked.stream().map((event) -> event.claimedBy(owner)).toList();
	}

	/**
	 * Without partial indexes the index in claim order begins with the status, so that
	 * each status is read for itself. An event that is tried between the two reads is
	 * found by both.
	 */
	private List<String> candidates(EventSelection selection, int limit) {
		MapSqlParameterSource parameters = new MapSqlParameterSource("limit", limit);
		String condition = this.table.sql(selection.condition(parameters));
		return Stream.of(EventStatus.NEW, EventStatus.RETRY)
			.map((status) -> this.findCandidates.formatted(status.code(), condition))
			.flatMap((sql) -> this.transactions.jdbc()
				.query(sql, parameters,
						(row, number) -> new Candidate(row.getString(1), row.getLong(2), row.getLong(3)))
				.stream())
			.sorted(CANDIDATE_ORDER)
			.map(Candidate::eventId)
			.distinct()
			.limit(limit)
			.toList();
	}

	/**
	 * Tell of which types the events are that have been due for long and that nobody has
	 * claimed or tried. Only the oldest thousand are looked at.
	 * @param selection which kinds of events to look for
	 * @param overdue how long they have been due at least, by the database's clock
	 * @return the types
	 */
	public Set<String> waitingTypes(EventSelection selection, Duration overdue) {
		MapSqlParameterSource parameters = new MapSqlParameterSource("overdue", overdue.toNanos() / 1000);
		String condition = this.table.sql(selection.condition(parameters));
		return new TreeSet<>(this.transactions.jdbc()
			.query(this.waitingTypes.formatted(condition), parameters, (row, number) -> row.getString(1)));
	}

	/**
	 * Tell which claims hold: the event was committed, is pending and has not been taken
	 * from its owner.
	 * @param owner the owner of all of them
	 * @param claims the claims
	 * @return those that hold
	 */
	public Set<Claim> verify(long owner, Collection<Claim> claims) {
		Set<Claim> asked = new HashSet<>(claims);
		Set<Claim> holding = new HashSet<>();
		for (List<String> ids : EventTable.pieces(List.copyOf(asked), Claim::eventId)) {
			holding.addAll(this.transactions.jdbc()
				.query(this.verify, Map.of("ids", ids, "owner", owner),
						(row, number) -> new Claim(row.getString(1), owner, row.getInt(2))));
		}
		holding.retainAll(asked);
		return holding;
	}

	/**
	 * Read the events whose claims hold, as {@link #verify} tells them.
	 * @param owner the owner of all of them
	 * @param claims the claims
	 * @return the events whose claims hold
	 */
	public List<EventRecord> read(long owner, Collection<Claim> claims) {
		Set<Claim> asked = new HashSet<>(claims);
		List<EventRecord> events = new ArrayList<>();
		for (List<String> ids : EventTable.pieces(List.copyOf(asked), Claim::eventId)) {
			events.addAll(this.transactions.jdbc()
				.query(this.read, Map.of("ids", ids, "owner", owner), EventTable.ROW_MAPPER));
		}
		return events.stream().filter((event) -> asked.contains(event.claim())).sorted(EventTable.CLAIM_ORDER).toList();
	}

	/**
	 * Give events back that were not tried, so that any node can claim them at once.
	 * @param claims the claims
	 * @return how many of them still held
	 */
	public int release(Collection<Claim> claims) {
		return updateHolding(this.release, claims);
	}

	/**
	 * Count an attempt before it is made, for events that may have killed their node.
	 * @param claims the claims
	 * @return how many of them still held
	 */
	public int countAttempt(Collection<Claim> claims) {
		return updateHolding(this.countAttempt, claims);
	}

	private int updateHolding(String sql, Collection<Claim> claims) {
		return this.transactions.write(() -> {
			int updated = 0;
			for (ClaimGroup<Claim> group : ClaimGroup.of(claims)) {
				for (List<String> ids : EventTable.pieces(group.members(), Claim::eventId)) {
					updated += this.transactions.jdbc().update(sql, group.parameters(ids));
				}
			}
			return updated;
		});
	}

	/**
	 * An event that a plain read found claimable.
	 */
	private record Candidate(String eventId, long availableAt, long sequence) {

	}

}
