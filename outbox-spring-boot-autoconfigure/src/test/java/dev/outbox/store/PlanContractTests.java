package dev.outbox.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.PoolOptions;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract: what a claim costs does not depend on history. The database itself is asked
 * how it runs the statements of a claim, with many finished rows and few claimable ones.
 */
@EachDatabase
class PlanContractTests {

	private final TestDatabase database;

	PlanContractTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void aClaimReadsTheIndexInOrderAndNoFinishedRow() {
		checkPlans(30_000);
	}

	@Test
	@Tag("slow")
	void aClaimReadsTheIndexInOrderAndNoFinishedRowOutOfAMillion() {
		checkPlans(1_000_000);
	}

	private void checkPlans(int finished) {
		try (TestDataSource source = this.database.freshDatabase()) {
			OutboxFixture outbox = OutboxFixture.in(source);
			fill(outbox.jdbc, finished);
			List<String> plans = plansOfAClaim(outbox);
			assertThat(plans).isNotEmpty().allSatisfy(this::assertUsesIndex);
			if (this.database == TestDatabase.POSTGRESQL) {
				assertThat(plans.get(0)).doesNotContain("Sort").doesNotContain("Seq Scan on outbox_event");
			}
			assertThat(outbox.claimAll(1)).hasSize(300);
		}
	}

	private void assertUsesIndex(String plan) {
		switch (this.database) {
			case POSTGRESQL -> assertThat(plan).contains("Index Scan using outbox_event_due")
				.contains("Index Cond: (available_at <= ");
			case SQLITE -> assertThat(plan).contains("USING INDEX outbox_event_due (available_at<?)")
				.doesNotContain("TEMP B-TREE");
			case H2 ->
				assertThat(plan).containsIgnoringCase("OUTBOX_EVENT_LANE: OWNER IS NULL").contains("index sorted");
			case MARIADB, MYSQL ->
				assertThat(plan).contains("outbox_event_lane").contains("range").doesNotContain("filesort");
		}
	}

	private void fill(JdbcTemplate jdbc, int finished) {
		String numbers = switch (this.database) {
			case POSTGRESQL -> "SELECT n FROM generate_series(1, %d) AS g(n)";
			case MARIADB -> "SELECT seq AS n FROM seq_1_to_%d";
			case MYSQL ->
				"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < %d) SELECT n FROM r";
			case H2 -> "SELECT X AS n FROM SYSTEM_RANGE(1, %d)";
			case SQLITE ->
				"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < %d) SELECT n FROM r";
		};
		insert(jdbc, "done", numbers.formatted(finished), 1, 1000, null);
		insert(jdbc, "due", numbers.formatted(300), 0, 2000, null);
		insert(jdbc, "later", numbers.formatted(3000), 2, 4_000_000_000_000_000L, null);
		insert(jdbc, "claimed", numbers.formatted(2000), 0, 2000, 7L);
		switch (this.database) {
			case POSTGRESQL -> jdbc.execute("VACUUM ANALYZE outbox_event");
			case H2, SQLITE -> jdbc.execute("ANALYZE");
			case MARIADB, MYSQL -> jdbc.execute("ANALYZE TABLE outbox_event");
		}
	}

	private void insert(JdbcTemplate jdbc, String prefix, String numbers, int status, long availableAt, Long owner) {
		String id = (this.database == TestDatabase.MARIADB || this.database == TestDatabase.MYSQL)
				? "CONCAT('%s-', n)".formatted(prefix) : "'%s-' || n".formatted(prefix);
		jdbc.update(
				"""
						INSERT /*+ SET_VAR(cte_max_recursion_depth = 10000000) */ INTO outbox_event (event_id, event_type, aggregate_type, payload, status, available_at, created_at,
						  occurred_at, owner)
						SELECT %s, 'OrderPlaced', '__GLOBAL__', '{}', %d, %d + n, 1, 1, %s FROM (%s) numbers"""
					.formatted(id, status, availableAt, owner, numbers));
	}

	/**
	 * Records the statements of a claim that find rows, and asks for their plans.
	 */
	private List<String> plansOfAClaim(OutboxFixture outbox) {
		RecordedStatements recorded = new RecordedStatements(outbox.source.dataSource());
		OutboxDatabase database = OutboxFixture.database(recorded);
		for (EventSelection selection : List.of(EventSelection.all(),
				EventSelection.only(List.of(new EventRoute(null, "OrderPlaced"))))) {
			List<EventRecord> claimed = new EventClaims(database).claim(5, selection, 10);
			outbox.claims.release(claimed.stream().map(EventRecord::claim).toList());
		}
		List<String> plans = new ArrayList<>();
		for (String statement : recorded.statements()) {
			if (statement.contains("ORDER BY")) {
				plans.add(explain(outbox.jdbc,
						statement.replace("event_type IN (?)", "event_type IN ('OrderPlaced')").replace("?", "10")));
				if (this.database == TestDatabase.POSTGRESQL) {
					plans.add(explainGenericPlan(outbox.source, statement));
				}
			}
		}
		return plans;
	}

	/**
	 * Explains a statement with its parameters, as PostgreSQL plans it when it has seen
	 * it often.
	 */
	private static String explainGenericPlan(TestDataSource source, String statement) {
		AtomicInteger number = new AtomicInteger();
		String numbered = Pattern.compile("\\?")
			.matcher(statement)
			.replaceAll((match) -> "\\$" + number.incrementAndGet());
		try (TestDataSource simple = source
			.anotherPool(PoolOptions.defaults().withUrlParameter("preferQueryMode", "simple"))) {
			return String.join("\n", new JdbcTemplate(simple.dataSource())
				.queryForList("EXPLAIN (GENERIC_PLAN) " + numbered, String.class));
		}
	}

	private String explain(JdbcTemplate jdbc, String statement) {
		String command = switch (this.database) {
			case POSTGRESQL, H2, MARIADB, MYSQL -> "EXPLAIN ";
			case SQLITE -> "EXPLAIN QUERY PLAN ";
		};
		StringBuilder plan = new StringBuilder();
		jdbc.queryForList(command + statement).forEach((row) -> plan.append(row.values()).append('\n'));
		return plan.toString();
	}

	@Test
	void aHotEventIsInThePrimaryKeyAndOneMoreIndex() {
		OutboxFixture outbox = OutboxFixture.empty(this.database);
		outbox.append(7L, List.of(OutboxFixture.event()));
		List<String> indexes = switch (this.database) {
			case POSTGRESQL -> outbox.jdbc
				.query("""
						SELECT i.indexrelid::regclass::text, coalesce(pg_get_expr(i.indpred, i.indrelid), 'true')
						FROM pg_index i WHERE i.indrelid = 'outbox_event'::regclass""",
						(row, number) -> List.of(row.getString(1), row.getString(2)))
				.stream()
				.filter((index) -> isIn(outbox, index.get(1)))
				.map((index) -> index.get(0))
				.toList();
			case SQLITE -> outbox.jdbc
				.query("""
						SELECT name, coalesce(substr(sql, instr(sql, 'WHERE ') + 6), '1 = 1') FROM sqlite_master
						WHERE type = 'index' AND tbl_name = 'outbox_event'""",
						(row, number) -> List.of(row.getString(1), row.getString(2)))
				.stream()
				.filter((index) -> isIn(outbox, index.get(1)))
				.map((index) -> index.get(0))
				.toList();
			case H2 -> outbox.jdbc.queryForList(
					"SELECT INDEX_NAME FROM INFORMATION_SCHEMA.INDEXES WHERE TABLE_NAME = 'OUTBOX_EVENT'",
					String.class);
			case MARIADB, MYSQL -> outbox.jdbc.queryForList("""
					SELECT DISTINCT index_name FROM information_schema.statistics
					WHERE table_schema = DATABASE() AND table_name = 'outbox_event'""", String.class);
		};
		assertThat(indexes).hasSize((this.database == TestDatabase.MYSQL) ? 3 : 2);
	}

	private static boolean isIn(OutboxFixture outbox, String predicate) {
		return outbox.jdbc.queryForList("SELECT event_id FROM outbox_event WHERE " + predicate, String.class)
			.size() == 1;
	}

}
