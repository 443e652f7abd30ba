package dev.outbox.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.jdbc.ShortTransactions;

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
 * nothing else, and what still qualifies is marked, all in one short transaction.
 * </ol>
 * Either way no lock of ours covers a gap that a business transaction may insert into.
 */
public final class EventClaims {

	private static final int CANDIDATES_PER_EVENT = 4;

	private static final Comparator<Candidate> CANDIDATE_ORDER = Comparator.comparingLong(Candidate::availableAt)
		.thenComparingLong(Candidate::sequence);

	private final ShortTransactions transactions;

	private final EventTable table;

	private final boolean returning;

	public EventClaims(OutboxDatabase database) {
		this.transactions = database.transactions();
		this.table = new EventTable(database);
		this.returning = database.dialect().canReturnUpdatedRows();
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
		List<EventRecord> claimed = this.returning ? claimReturning(owner, selection, limit)
				: this.transactions.write(() -> claimLocking(owner, selection, limit));
		return claimed.stream().sorted(EventTable.CLAIM_ORDER).toList();
	}

	private List<EventRecord> claimReturning(long owner, EventSelection selection, int limit) {
		MapSqlParameterSource parameters = new MapSqlParameterSource("owner", owner).addValue("limit", limit);
		String sql = this.table.sql("""
				WITH due AS MATERIALIZED (
				  SELECT event_id FROM {event}
				  WHERE {claimable} AND available_at <= {now} %s
				  ORDER BY available_at, seq LIMIT :limit {forUpdateSkipLocked})
				UPDATE {event} SET owner = :owner, claim = claim + 1
				WHERE event_id IN (SELECT event_id FROM due)
				RETURNING {columns}""".formatted(selection.condition(parameters)));
		return this.transactions.write(() -> this.transactions.jdbc().query(sql, parameters, EventTable.ROW_MAPPER));
	}

	private List<EventRecord> claimLocking(long owner, EventSelection selection, int limit) {
		List<String> candidates = candidates(selection, limit * CANDIDATES_PER_EVENT);
		List<EventRecord> locked = new ArrayList<>();
		for (int from = 0; from < candidates.size() && locked.size() < limit;) {
			int to = Math.min(candidates.size(), from + Math.min(limit - locked.size(), EventTable.MAX_IDS));
			List<String> ids = candidates.subList(from, to);
			locked.addAll(lock(EventTable.pieces(ids, (id) -> id).get(0)));
			from = to;
		}
		for (List<String> ids : EventTable.pieces(locked, EventRecord::eventId)) {
			this.transactions.jdbc()
				.update(this.table.sql("UPDATE {event} SET owner = :owner, claim = claim + 1 WHERE event_id IN (:ids)"),
						Map.of("owner", owner, "ids", ids));
		}
		return locked.stream().map((event) -> event.claimedBy(owner)).toList();
	}

	/**
	 * Without partial indexes the index in claim order begins with the status, so that
	 * each status is read for itself. H2 sees that it need not sort only if it is told
	 * the whole index.
	 */
	private List<String> candidates(EventSelection selection, int limit) {
		MapSqlParameterSource parameters = new MapSqlParameterSource("limit", limit);
		String condition = selection.condition(parameters);
		return Stream.of(EventStatus.NEW, EventStatus.RETRY)
			.flatMap((status) -> this.transactions.jdbc()
				.query(this.table.sql("""
						SELECT event_id, available_at, seq FROM {event}
						WHERE owner IS NULL AND status = %d AND available_at <= {now} %s
						ORDER BY owner, status, available_at, seq LIMIT :limit""".formatted(status.code(), condition)),
						parameters, (row, number) -> new Candidate(row.getString(1), row.getLong(2), row.getLong(3)))
				.stream())
			.sorted(CANDIDATE_ORDER)
			.limit(limit)
			.map(Candidate::eventId)
			.toList();
	}

	private List<EventRecord> lock(List<String> ids) {
		return this.transactions.jdbc().query(this.table.sql("""
				SELECT {columns} FROM {event} {byPrimaryKey}
				WHERE event_id IN (:ids) AND {claimable} AND available_at <= {now}
				{forUpdateSkipLocked}"""), Map.of("ids", ids), EventTable.ROW_MAPPER);
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
				.query(this.table.sql("""
						SELECT event_id, claim FROM {event}
						WHERE event_id IN (:ids) AND owner = :owner AND status IN (0, 2)"""),
						Map.of("ids", ids, "owner", owner),
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
				.query(this.table.sql("""
						SELECT {columns} FROM {event}
						WHERE event_id IN (:ids) AND owner = :owner AND status IN (0, 2)"""),
						Map.of("ids", ids, "owner", owner), EventTable.ROW_MAPPER));
		}
		return events.stream().filter((event) -> asked.contains(event.claim())).sorted(EventTable.CLAIM_ORDER).toList();
	}

	/**
	 * Give events back that were not tried, so that any node can claim them at once.
	 * @param claims the claims
	 * @return how many of them still held
	 */
	public int release(Collection<Claim> claims) {
		return this.transactions.write(() -> {
			int released = 0;
			for (ClaimGroup group : ClaimGroup.of(claims)) {
				released += this.transactions.jdbc().update(this.table.sql("""
						UPDATE {event} SET owner = NULL
						WHERE event_id IN (:ids) AND owner = :owner AND claim = :number"""), group.parameters());
			}
			return released;
		});
	}

	/**
	 * Give back everything a node has claimed.
	 * @param owner the node
	 * @return how many events it were
	 */
	public int releaseAll(long owner) {
		return this.transactions.write(() -> this.transactions.jdbc()
			.update(this.table.sql("UPDATE {event} SET owner = NULL WHERE owner = :owner"), Map.of("owner", owner)));
	}

	/**
	 * Count an attempt before it is made, for events that may have killed their node.
	 * @param claims the claims
	 * @return how many of them still held
	 */
	public int countAttempt(Collection<Claim> claims) {
		return this.transactions.write(() -> {
			int counted = 0;
			for (ClaimGroup group : ClaimGroup.of(claims)) {
				counted += this.transactions.jdbc().update(this.table.sql("""
						UPDATE {event} SET attempts = attempts + 1
						WHERE event_id IN (:ids) AND owner = :owner AND claim = :number"""), group.parameters());
			}
			return counted;
		});
	}

	/**
	 * List what a node has claimed, by event id.
	 * @param owner the node
	 * @param after the event id to go on after, or an empty string
	 * @param limit how many at most
	 * @return its claims
	 */
	public List<Claim> claimsOf(long owner, String after, int limit) {
		return this.transactions.jdbc()
			.query(this.table.sql("""
					SELECT event_id, claim FROM {event}
					WHERE owner = :owner AND event_id > :after ORDER BY event_id LIMIT :limit"""),
					Map.of("owner", owner, "after", after, "limit", limit),
					(row, number) -> new Claim(row.getString(1), owner, row.getInt(2)));
	}

	/**
	 * List the nodes that have claimed anything.
	 * @return their ids
	 */
	public Set<Long> owners() {
		return new HashSet<>(this.transactions.jdbc()
			.queryForList(this.table.sql("SELECT DISTINCT owner FROM {event} WHERE owner IS NOT NULL"), Map.of(),
					Long.class));
	}

	/**
	 * Take events back from nodes that are dead. Once dead, a node id never comes to life
	 * again, so it is enough that they were found dead before this call.
	 * @param owners the dead nodes
	 * @param limit how many events at most
	 * @return how many events were taken back
	 */
	public int reclaim(Set<Long> owners, int limit) {
		if (owners.isEmpty()) {
			return 0;
		}
		return this.transactions.write(() -> {
			int reclaimed = 0;
			List<String> found = this.transactions.jdbc()
				.queryForList(this.table.sql("SELECT event_id FROM {event} WHERE owner IN (:owners) LIMIT :limit"),
						Map.of("owners", owners, "limit", limit), String.class);
			for (List<String> ids : EventTable.pieces(found, (id) -> id)) {
				List<String> locked = this.transactions.jdbc().queryForList(this.table.sql("""
						SELECT event_id FROM {event} {byPrimaryKey}
						WHERE event_id IN (:ids) AND owner IN (:owners)
						{forUpdateSkipLocked}"""), Map.of("ids", ids, "owners", owners), String.class);
				if (!locked.isEmpty()) {
					reclaimed += this.transactions.jdbc().update(this.table.sql("""
							UPDATE {event} SET owner = NULL, reclaims = reclaims + 1
							WHERE event_id IN (:ids)"""), Map.of("ids", locked));
				}
			}
			return reclaimed;
		});
	}

	/**
	 * An event that a plain read found claimable.
	 */
	private record Candidate(String eventId, long availableAt, long sequence) {

	}

	/**
	 * Claims that one statement can match: they have owner and number in common. There is
	 * hardly ever more than one group, because nearly all events are claimed once.
	 */
	record ClaimGroup(long owner, int number, List<String> ids) {

		static List<ClaimGroup> of(Collection<Claim> claims) {
			Map<Long, Map<Integer, List<Claim>>> groups = claims.stream()
				.distinct()
				.sorted(Comparator.comparing(Claim::eventId))
				.collect(Collectors.groupingBy(Claim::owner, TreeMap::new,
						Collectors.groupingBy(Claim::number, TreeMap::new, Collectors.toList())));
			List<ClaimGroup> result = new ArrayList<>();
			groups.forEach((owner, byNumber) -> byNumber
				.forEach((number, members) -> EventTable.pieces(members, Claim::eventId)
					.forEach((ids) -> result.add(new ClaimGroup(owner, number, ids)))));
			return result;
		}

		Map<String, Object> parameters() {
			return Map.of("ids", this.ids, "owner", this.owner, "number", this.number);
		}

	}

}
