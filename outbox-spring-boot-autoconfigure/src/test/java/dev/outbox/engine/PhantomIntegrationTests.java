package dev.outbox.engine;

import java.sql.Savepoint;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

import dev.outbox.dispatch.DispatchStatistics;
import dev.outbox.store.EventStatus;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests that an event that was rolled back is not delivered, even if its transaction went
 * on to tell of a commit. The next event shows that nothing is on its way any more: all
 * of them wait in one queue for one worker.
 */
@EachDatabase
class PhantomIntegrationTests {

	private final TestDatabase database;

	private final OutboxNodes nodes;

	private final Outbox node;

	private final Rows rows;

	private final DeliveryLog log = new DeliveryLog();

	PhantomIntegrationTests(TestDatabase database) {
		this.database = database;
		this.nodes = new OutboxNodes(database);
		this.node = this.nodes.node("dispatch.workers=1");
		this.node.listeners().register("Placed", this.log);
		this.node.start();
		this.rows = new Rows(this.nodes, this.node);
		this.nodes.jdbc().execute("CREATE TABLE business (id VARCHAR(36) PRIMARY KEY)");
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void aCommitThatIsARollbackBecauseOfASwallowedErrorDeliversNothing() {
		String event = Objects.requireNonNull(this.nodes.transactions().execute((status) -> {
			String written = write();
			assertThatExceptionOfType(DataAccessException.class)
				.isThrownBy(() -> this.nodes.jdbc().execute("SELECT * FROM no_such_table"));
			return written;
		}));
		boolean committed = this.database != TestDatabase.POSTGRESQL;
		assertThat(this.rows.has(event)).isEqualTo(committed);
		assertThat(businessRows()).isEqualTo(committed ? 1 : 0);
		if (committed) {
			this.rows.await(event, EventStatus.DONE);
		}
		else {
			awaitAverted(1);
		}
		assertDelivered(committed ? Set.of(event) : Set.of());
	}

	@Test
	void aNestedTransactionThatIsRolledBackDeliversNothing() {
		TransactionTemplate nested = this.nodes.transactions();
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
		String outer = Objects.requireNonNull(this.nodes.transactions().execute((status) -> {
			String before = this.node.writer().write("Placed", "{}");
			nested.executeWithoutResult((inner) -> {
				write();
				inner.setRollbackOnly();
			});
			return before;
		}));
		assertThat(businessRows()).isZero();
		this.rows.await(outer, EventStatus.DONE);
		assertDelivered(Set.of(outer));
		assertThat(statistics().phantomsAverted()).isZero();
	}

	@Test
	void aRollbackToASavepointThatNobodyHeardOfDeliversNothing() {
		String before = Objects.requireNonNull(this.nodes.transactions().execute((status) -> {
			String written = this.node.writer().write("Placed", "{}");
			this.nodes.jdbc().execute((ConnectionCallback<Boolean>) (connection) -> {
				Savepoint savepoint = connection.setSavepoint();
				write();
				write();
				connection.rollback(savepoint);
				return true;
			});
			return written;
		}));
		assertThat(businessRows()).isZero();
		awaitAverted(2);
		this.rows.await(before, EventStatus.DONE);
		assertDelivered(Set.of(before));
	}

	private String write() {
		this.nodes.jdbc().update("INSERT INTO business (id) VALUES (?)", String.valueOf(System.nanoTime()));
		return Objects.requireNonNull(this.node.writer().write("Placed", "{}"));
	}

	private void awaitAverted(int count) {
		await().atMost(Duration.ofSeconds(30)).until(() -> statistics().phantomsAverted() == count);
	}

	private void assertDelivered(Set<String> events) {
		String last = this.rows.write(this.node, "Placed");
		this.rows.await(last, EventStatus.DONE);
		Set<String> all = new HashSet<>(events);
		all.add(last);
		this.log.assertOnceEach(all);
	}

	private long businessRows() {
		return Objects.requireNonNull(this.nodes.jdbc().queryForObject("SELECT COUNT(*) FROM business", Long.class));
	}

	private DispatchStatistics statistics() {
		return Objects.requireNonNull(this.node.statistics());
	}

}
