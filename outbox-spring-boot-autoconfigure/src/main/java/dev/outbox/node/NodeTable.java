package dev.outbox.node;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.jdbc.ShortTransactions;

import org.springframework.jdbc.core.RowMapper;

/**
 * The nodes of an outbox and their signs of life.
 * <p>
 * Death is a fact in the table. Each beat pushes a node's expiry ahead, by the database's
 * clock, and works only as long as nobody has marked the node dead. Whoever finds a node
 * expired marks it by compare-and-set, so beat and mark exclude each other: a node that
 * is late but unmarked goes on, a marked one never comes back under the same id.
 */
public final class NodeTable {

	private static final RowMapper<Long> NODE_ID = (row, number) -> row.getLong(1);

	private final ShortTransactions transactions;

	private final String node;

	private final String now;

	public NodeTable(OutboxDatabase database) {
		this.transactions = database.transactions();
		this.node = database.tables().node();
		this.now = database.dialect().now();
	}

	/**
	 * Enter a node that has just started.
	 * @param id its id, never used before
	 * @param name its name for people
	 * @param lease how long it counts as alive without a beat
	 */
	public void register(long id, String name, Duration lease) {
		updateNode("""
				INSERT INTO {node} (node_id, name, started_at, beat_at, expires_at)
				VALUES (:id, :name, {now}, {now}, {now} + :lease)""",
				Map.of("id", id, "name", name, "lease", micros(lease)));
	}

	/**
	 * Give a sign of life.
	 * @param id the node
	 * @param lease how long it counts as alive from now
	 * @return whether it is still among the living
	 */
	public boolean beat(long id, Duration lease) {
		return updateNode("""
				UPDATE {node} SET beat_at = {now}, expires_at = {now} + :lease
				WHERE node_id = :id AND dead_at IS NULL""", Map.of("id", id, "lease", micros(lease))) == 1;
	}

	/**
	 * List the nodes whose lease is over and that nobody has declared dead yet.
	 * @return their ids
	 */
	public List<Long> expired() {
		return this.transactions.jdbc()
			.query(sql("SELECT node_id FROM {node} WHERE dead_at IS NULL AND expires_at < {now}"), NODE_ID);
	}

	/**
	 * Declare a node dead if its lease is over.
	 * @param id the node
	 * @return whether this call did it
	 */
	public boolean markDead(long id) {
		return updateNode("""
				UPDATE {node} SET dead_at = {now}
				WHERE node_id = :id AND dead_at IS NULL AND expires_at < {now}""", Map.of("id", id)) == 1;
	}

	/**
	 * Declare every other node dead at once, for an outbox that has one node only.
	 * @param id the node that stays
	 * @return how many were declared dead
	 */
	public int markOthersDead(long id) {
		return update("UPDATE {node} SET dead_at = {now} WHERE node_id <> :id AND dead_at IS NULL", Map.of("id", id));
	}

	/**
	 * Strike a node off that has given back all it had.
	 * @param id the node
	 */
	public void signOff(long id) {
		updateNode("DELETE FROM {node} WHERE node_id = :id", Map.of("id", id));
	}

	/**
	 * Tell which of some nodes are not alive: declared dead, or not there. Ask for the
	 * nodes that own events before asking this, never after: whoever owned an event then
	 * had registered before.
	 * @param ids the nodes
	 * @return those that are not alive
	 */
	public Set<Long> deadAmong(Set<Long> ids) {
		if (ids.isEmpty()) {
			return Set.of();
		}
		Set<Long> dead = new HashSet<>(ids);
		this.transactions.jdbc()
			.query(sql("SELECT node_id FROM {node} WHERE node_id IN (:ids) AND dead_at IS NULL"), Map.of("ids", ids),
					NODE_ID)
			.forEach(dead::remove);
		return dead;
	}

	/**
	 * List all nodes.
	 * @return the nodes, by start
	 */
	public List<NodeRecord> all() {
		return this.transactions.jdbc()
			.query(sql("""
					SELECT node_id, name, dead_at, {now} - beat_at FROM {node} ORDER BY started_at, node_id"""),
					Map.of(), (row, number) -> {
						row.getLong(3);
						boolean dead = !row.wasNull();
						return new NodeRecord(row.getLong(1), row.getString(2), dead,
								Duration.of(row.getLong(4), ChronoUnit.MICROS));
					});
	}

	/**
	 * Forget nodes that have been dead for long.
	 * @param age how long, by the database's clock
	 * @return how many were forgotten
	 */
	public int forgetDead(Duration age) {
		return update("DELETE FROM {node} WHERE dead_at < {now} - :age", Map.of("age", micros(age)));
	}

	private int updateNode(String statement, Map<String, ?> parameters) {
		return this.transactions.writeByKey(() -> this.transactions.jdbc().update(sql(statement), parameters));
	}

	private int update(String statement, Map<String, ?> parameters) {
		return this.transactions.writeOne(() -> this.transactions.jdbc().update(sql(statement), parameters));
	}

	private String sql(String statement) {
		return statement.replace("{node}", this.node).replace("{now}", this.now);
	}

	private static long micros(Duration duration) {
		return duration.toNanos() / 1000;
	}

}
