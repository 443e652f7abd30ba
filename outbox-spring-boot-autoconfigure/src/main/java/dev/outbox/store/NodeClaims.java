package dev.outbox.store;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.jdbc.ShortTransactions;

/**
 * What nodes hold as a whole, for when one of them stops, dies or has lost track.
 */
public final class NodeClaims {

	private static final String LIST = """
			SELECT event_id, claim FROM {event}
			WHERE owner = :owner AND event_id > :after ORDER BY event_id LIMIT :limit""";

	private static final String OWNERS = "SELECT DISTINCT owner FROM {event} WHERE owner IS NOT NULL";

	private static final String FIND = "SELECT event_id FROM {event} WHERE owner IN (:owners) LIMIT :limit";

	private static final String LOCK = """
			SELECT event_id FROM {event} {byPrimaryKey}
			WHERE event_id IN (:ids) AND owner IN (:owners)
			{forUpdateSkipLocked}""";

	private static final String RELEASE = "UPDATE {event} SET owner = NULL WHERE event_id IN (:ids) AND owner IN (:owners)";

	private static final String TAKE_BACK = """
			UPDATE {event} SET owner = NULL, reclaims = reclaims + 1 WHERE event_id IN (:ids) AND owner IN (:owners)""";

	private final ShortTransactions transactions;

	private final String list;

	private final String owners;

	private final String release;

	private final String find;

	private final String lock;

	private final String takeBack;

	public NodeClaims(OutboxDatabase database) {
		this.transactions = database.transactions();
		EventTable table = new EventTable(database);
		this.list = table.sql(LIST);
		this.owners = table.sql(OWNERS);
		this.release = table.sql(RELEASE);
		this.find = table.sql(FIND);
		this.lock = table.sql(LOCK);
		this.takeBack = table.sql(TAKE_BACK);
	}

	/**
	 * List what a node has claimed, by event id.
	 * @param owner the node
	 * @param after the event id to go on after, or an empty string
	 * @param limit how many at most
	 * @return its claims
	 */
	public List<Claim> list(long owner, String after, int limit) {
		return this.transactions.jdbc()
			.query(this.list, Map.of("owner", owner, "after", after, "limit", limit),
					(row, number) -> new Claim(row.getString(1), owner, row.getInt(2)));
	}

	/**
	 * List the nodes that have claimed anything.
	 * @return their ids
	 */
	public Set<Long> owners() {
		return new HashSet<>(this.transactions.jdbc().query(this.owners, (row, number) -> row.getLong(1)));
	}

	/**
	 * Give back everything a node has claimed, except for what an open transaction holds.
	 * @param owner the node
	 * @return how many events it were
	 */
	public int releaseAll(long owner) {
		int released = 0;
		int count;
		do {
			count = unclaim(this.release, Set.of(owner), EventTable.MAX_IDS);
			released += count;
		}
		while (count > 0);
		return released;
	}

	/**
	 * Take events back from nodes that are dead. Once dead, a node id never comes to life
	 * again, so it is enough that they were found dead before this call.
	 * @param deadNodes the dead nodes
	 * @param limit how many events at most
	 * @return how many events were taken back
	 */
	public int reclaim(Set<Long> deadNodes, int limit) {
		return deadNodes.isEmpty() ? 0 : unclaim(this.takeBack, deadNodes, limit);
	}

	private int unclaim(String statement, Set<Long> nodes, int limit) {
		return this.transactions.write(() -> {
			int changed = 0;
			List<String> found = this.transactions.jdbc()
				.query(this.find, Map.of("owners", nodes, "limit", limit), EventTable.EVENT_ID);
			for (List<String> ids : EventTable.pieces(found, (id) -> id)) {
				List<String> locked = this.transactions.jdbc()
					.query(this.lock, Map.of("ids", ids, "owners", nodes), EventTable.EVENT_ID);
				if (!locked.isEmpty()) {
					changed += this.transactions.jdbc().update(statement, Map.of("ids", locked, "owners", nodes));
				}
			}
			return changed;
		});
	}

}
