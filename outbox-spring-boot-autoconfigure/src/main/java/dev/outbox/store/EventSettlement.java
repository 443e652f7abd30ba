package dev.outbox.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntSupplier;

import javax.sql.DataSource;

import dev.outbox.OutboxTransactionException;
import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.jdbc.ShortTransactions;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.NonTransientDataAccessException;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * Records outcomes, one statement for many events. Each row is matched on its claim, so
 * an outcome that comes too late changes nothing and is counted as fenced.
 * <p>
 * If the database refuses a batch, it is split until the culprit is alone; the others are
 * recorded.
 */
public final class EventSettlement {

	/**
	 * Rows of failed attempts differ in several columns, so their statements are longer.
	 */
	private static final int MAX_FAILURES = 100;

	private static final String KEEP = """
			UPDATE {event} SET status = 1, done_at = {now}, available_at = {now}, owner = NULL""";

	private static final String DELETE = "DELETE FROM {event}";

	private static final String HOLDING = " WHERE event_id IN (:ids) AND owner = :owner AND claim = :number";

	private final DataSource dataSource;

	private final ShortTransactions transactions;

	private final EventTable table;

	private final String complete;

	public EventSettlement(OutboxDatabase database, Completion completion) {
		this.dataSource = database.dataSource();
		this.transactions = database.transactions();
		this.table = new EventTable(database);
		this.complete = this.table.sql(((completion == Completion.DELETE) ? DELETE : KEEP) + HOLDING);
	}

	/**
	 * Record outcomes.
	 * @param settlements the outcomes
	 * @return how many were recorded, how many came too late, and which were refused
	 * @throws DataAccessException if the database is out of reach, or refuses whatever it
	 * is told; what had been recorded by then comes back as fenced when it is tried again
	 */
	public Settled settle(List<Settlement> settlements) {
		Settled settled = settleOrSplit(settlements);
		for (DataAccessException failure : settled.refused().values()) {
			if (settled.refused().size() == settlements.size()
					&& !(failure instanceof DataIntegrityViolationException)) {
				throw failure;
			}
		}
		return settled;
	}

	private Settled settleOrSplit(List<Settlement> settlements) {
		if (settlements.isEmpty()) {
			return new Settled(0, 0);
		}
		try {
			int recorded = record(settlements);
			return new Settled(recorded, settlements.size() - recorded);
		}
		catch (NonTransientDataAccessException ex) {
			if (ex instanceof DataAccessResourceFailureException || this.transactions.isReadOnly(ex)) {
				throw ex;
			}
			if (settlements.size() == 1) {
				return new Settled(0, 0, Map.of(settlements.get(0).claim(), ex));
			}
			int half = settlements.size() / 2;
			return settleOrSplit(settlements.subList(0, half))
				.plus(settleOrSplit(settlements.subList(half, settlements.size())));
		}
	}

	/**
	 * See that the current transaction is one of the outbox's DataSource, so that what is
	 * recorded within it is committed or rolled back with it.
	 * @throws OutboxTransactionException if it is not
	 */
	public void requireTransaction() {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			if (!DataSourceUtils.isConnectionTransactional(connection, this.dataSource) || connection.getAutoCommit()) {
				throw new OutboxTransactionException("The transaction of a transactional listener is not one of the "
						+ "outbox's DataSource, so its outcome cannot be recorded within it");
			}
		}
		catch (SQLException ex) {
			throw new DataAccessResourceFailureException("The connection of the transaction cannot be used", ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	/**
	 * Record within the current transaction that an event was delivered, so that the
	 * outcome shares the fate of what else was done in it.
	 * @param claim the claim under which it was delivered
	 * @return whether the claim still held
	 */
	public boolean completeWithin(Claim claim) {
		return this.transactions.jdbc()
			.update(this.complete, new ClaimGroup<>(claim.owner(), claim.number(), List.of(claim))
				.parameters(List.of(claim.eventId()))) == 1;
	}

	/**
	 * Record within the current transaction how far an event has come with its listeners.
	 * The event stays with its owner, under the {@linkplain Claim#next() next claim}.
	 * @param claim the claim under which it is delivered
	 * @param progress which listeners have had the event
	 * @return whether the claim still held
	 */
	public boolean recordProgressWithin(Claim claim, @Nullable String progress) {
		MapSqlParameterSource parameters = new MapSqlParameterSource("ids", List.of(claim.eventId()))
			.addValue("owner", claim.owner())
			.addValue("number", claim.number())
			.addValue("progress", progress, Types.VARCHAR);
		return this.transactions.jdbc()
			.update(this.table.sql("UPDATE {event} SET progress = :progress, claim = claim + 1" + HOLDING),
					parameters) == 1;
	}

	private int record(List<Settlement> settlements) {
		List<IntSupplier> statements = statements(settlements);
		return (statements.size() == 1) ? this.transactions.writeByKey(statements.get(0)::getAsInt)
				: this.transactions.write(() -> statements.stream().mapToInt(IntSupplier::getAsInt).sum());
	}

	private List<IntSupplier> statements(List<Settlement> settlements) {
		Map<Kind, List<Settlement>> kinds = new EnumMap<>(Kind.class);
		for (Settlement settlement : settlements) {
			kinds.computeIfAbsent(Kind.of(settlement.outcome()), (kind) -> new ArrayList<>()).add(settlement);
		}
		List<IntSupplier> statements = new ArrayList<>();
		kinds.forEach((kind, members) -> {
			for (ClaimGroup<Settlement> group : ClaimGroup.of(members, Settlement::claim)) {
				statements.addAll((kind == Kind.DONE) ? completions(group) : failures(kind, group));
			}
		});
		return statements;
	}

	private List<IntSupplier> completions(ClaimGroup<Settlement> group) {
		return EventTable.pieces(group.members(), EventSettlement::eventId)
			.stream()
			.<IntSupplier>map((ids) -> () -> this.transactions.jdbc().update(this.complete, group.parameters(ids)))
			.toList();
	}

	private List<IntSupplier> failures(Kind kind, ClaimGroup<Settlement> group) {
		List<IntSupplier> statements = new ArrayList<>();
		List<Settlement> members = group.members();
		for (int from = 0; from < members.size(); from += MAX_FAILURES) {
			List<Settlement> piece = members.subList(from, Math.min(members.size(), from + MAX_FAILURES));
			statements.add(() -> recordFailures(kind, group, piece));
		}
		return statements;
	}

	private int recordFailures(Kind kind, ClaimGroup<Settlement> group, List<Settlement> members) {
		MapSqlParameterSource parameters = new MapSqlParameterSource(
				group.parameters(members.stream().map(EventSettlement::eventId).toList()));
		for (int i = 0; i < members.size(); i++) {
			parameters.addValue("id" + i, eventId(members.get(i)));
		}
		String assignments = "owner = NULL, status = " + kind.status.code() + ", attempts = "
				+ each(members, "attempts", parameters, Types.INTEGER, Settlement::attempts) + ", progress = "
				+ each(members, "progress", parameters, Types.VARCHAR, Settlement::progress);
		assignments += switch (kind) {
			case DONE -> throw new IllegalArgumentException("Not a failure");
			case RETRY -> ", reclaims = 0, available_at = {now} + "
					+ each(members, "delay", parameters, Types.BIGINT, Kind::delay) + ", last_error = "
					+ each(members, "error", parameters, Types.VARCHAR, Kind::error);
			case DEFERRED ->
				", available_at = {now} + " + each(members, "delay", parameters, Types.BIGINT, Kind::delay);
			case DEAD -> ", available_at = {now}, done_at = {now}, last_error = "
					+ each(members, "error", parameters, Types.VARCHAR, Kind::error);
		};
		return this.transactions.jdbc()
			.update(this.table.sql("UPDATE {event} SET " + assignments + HOLDING), parameters);
	}

	private static String eventId(Settlement settlement) {
		return settlement.claim().eventId();
	}

	/**
	 * Return an expression that gives each row its own value.
	 */
	private static String each(List<Settlement> group, String name, MapSqlParameterSource parameters, int type,
			Function<Settlement, @Nullable Object> value) {
		StringBuilder expression = new StringBuilder("CASE event_id");
		for (int i = 0; i < group.size(); i++) {
			parameters.addValue(name + i, value.apply(group.get(i)), type);
			expression.append(" WHEN :id").append(i).append(" THEN :").append(name).append(i);
		}
		return expression.append(" END").toString();
	}

	/**
	 * Outcomes that are recorded by the same statement.
	 */
	private enum Kind {

		DONE(EventStatus.DONE), RETRY(EventStatus.RETRY), DEFERRED(EventStatus.RETRY), DEAD(EventStatus.DEAD);

		private final EventStatus status;

		Kind(EventStatus status) {
			this.status = status;
		}

		static Kind of(Outcome outcome) {
			if (outcome instanceof Outcome.Done) {
				return DONE;
			}
			if (outcome instanceof Outcome.Retry) {
				return RETRY;
			}
			return (outcome instanceof Outcome.Deferred) ? DEFERRED : DEAD;
		}

		static @Nullable Object delay(Settlement settlement) {
			if (settlement.outcome() instanceof Outcome.Retry retry) {
				return retry.delay().toNanos() / 1000;
			}
			return (settlement.outcome() instanceof Outcome.Deferred deferred) ? deferred.delay().toNanos() / 1000
					: null;
		}

		static @Nullable Object error(Settlement settlement) {
			if (settlement.outcome() instanceof Outcome.Retry retry) {
				return ErrorText.storable(retry.error());
			}
			return (settlement.outcome() instanceof Outcome.Dead dead) ? ErrorText.storable(dead.error()) : null;
		}

	}

}
