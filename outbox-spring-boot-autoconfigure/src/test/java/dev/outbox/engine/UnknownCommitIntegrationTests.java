package dev.outbox.engine;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import dev.outbox.engine.FaultyDataSource.CommitFault;
import dev.outbox.store.EventStatus;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of commits that fail without telling what became of the transaction. The event is
 * delivered exactly if what was written with it is there.
 * <p>
 * Spring tells of an unknown outcome, or even of a rollback that was none: which one
 * depends on the transaction manager, and on whether the connection is gone.
 */
@EachDatabase
class UnknownCommitIntegrationTests {

	private final OutboxNodes nodes;

	private final FaultyDataSource dataSource;

	private final DeliveryLog log = new DeliveryLog();

	UnknownCommitIntegrationTests(TestDatabase database) {
		this.nodes = new OutboxNodes(database);
		this.dataSource = new FaultyDataSource(this.nodes.dataSource().dataSource());
		this.nodes.jdbc().execute("CREATE TABLE business (id INTEGER PRIMARY KEY)");
	}

	@AfterEach
	void close() {
		this.nodes.close();
	}

	@Test
	void theEventIsDeliveredIfTheBusinessRowIsThere() {
		assertDeliveredAsCommitted(new JdbcTransactionManager(this.dataSource));
	}

	@Test
	void theEventIsDeliveredIfTheBusinessRowIsThereWhateverTheManagerSays() {
		assertDeliveredAsCommitted(new DataSourceTransactionManager(this.dataSource));
	}

	/**
	 * With the poller switched off only verified hand-overs are delivered, and a sweep is
	 * too far away to help.
	 */
	@Test
	void anOutcomeThatIsSaidToBeUnknownIsSettledByLookingInTheTable() {
		PlatformTransactionManager manager = new DataSourceTransactionManager(this.dataSource);
		Outbox node = start(manager, "poll.enabled=false", "node.lease=1h", "node.heartbeat=10m");
		String lost = writeWith(manager, node, CommitFault.NEVER_ARRIVES, 1);
		String committed = writeWith(manager, node, CommitFault.ANSWER_LOST, 2);
		new Rows(this.nodes, node).await(committed, EventStatus.DONE);
		assertThat(this.log.events()).containsExactly(committed).doesNotContain(lost);
		assertThat(Objects.requireNonNull(node.statistics()).phantomsAverted()).isEqualTo(1);
	}

	/**
	 * What Spring took for a rollback is found by a sweep. Nobody reaps, so that a node
	 * that is late for want of processors is not helped by that.
	 */
	private void assertDeliveredAsCommitted(PlatformTransactionManager manager) {
		Outbox node = start(manager, "node.lease=400ms", "node.heartbeat=100ms", "node.reaper=false",
				"poll.interval=50ms");
		Rows rows = new Rows(this.nodes, node);
		String lost = writeWith(manager, node, CommitFault.NEVER_ARRIVES, 1);
		String answerLost = writeWith(manager, node, CommitFault.ANSWER_LOST, 2);
		String withError = writeWith(manager, node, CommitFault.COMMITS_WITH_ERROR, 3);
		String fine = writeWith(manager, node, CommitFault.NONE, 4);
		assertThat(this.nodes.jdbc().queryForList("SELECT id FROM business ORDER BY id", Integer.class))
			.containsExactly(2, 3, 4);
		rows.awaitAllFinished();
		assertThat(rows.has(lost)).isFalse();
		this.log.assertOnceEach(List.of(answerLost, withError, fine));
	}

	private String writeWith(PlatformTransactionManager manager, Outbox node, CommitFault fault, int businessId) {
		AtomicReference<String> written = new AtomicReference<>();
		TransactionTemplate transactions = new TransactionTemplate(manager);
		Runnable work = () -> transactions.executeWithoutResult((status) -> {
			new JdbcTemplate(this.dataSource).update("INSERT INTO business (id) VALUES (?)", businessId);
			written.set(node.writer().write("Placed", "{}"));
			this.dataSource.failNextCommitHere(fault);
		});
		if (fault == CommitFault.NONE) {
			work.run();
		}
		else {
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(work::run);
		}
		return Objects.requireNonNull(written.get());
	}

	/**
	 * Background duties share the DataSource, but only commits of the test fail.
	 */
	private Outbox start(PlatformTransactionManager manager, String... properties) {
		Outbox node = this.nodes.node((builder) -> builder.dataSource(this.dataSource).transactionManager(manager),
				properties);
		node.listeners().register("Placed", this.log);
		node.start();
		return node;
	}

}
