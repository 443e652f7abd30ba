package dev.outbox.write;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import dev.outbox.EventPayload;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxWriter;
import dev.outbox.Partitioner;
import dev.outbox.WriterHook;
import dev.outbox.serialize.EventSerializer;
import dev.outbox.serialize.EventTypes;
import dev.outbox.store.EventAppender;
import dev.outbox.store.OutboxFixture;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An application in small: a business table, a writer, and a transaction manager of the
 * same DataSource.
 */
final class WriterFixture {

	final DataSource dataSource;

	final JdbcTransactionManager transactionManager;

	final CallerTransaction caller;

	final OutboxWriter writer;

	final JdbcTemplate jdbc;

	private WriterFixture(DataSource outboxDataSource, DataSource managedDataSource, List<WriterHook> hooks,
			@Nullable Partitioner partitioner, boolean watched) {
		this.dataSource = managedDataSource;
		this.jdbc = new JdbcTemplate(managedDataSource);
		this.transactionManager = new JdbcTransactionManager(managedDataSource);
		WriterHooks writerHooks = new WriterHooks("outbox", hooks);
		this.caller = new CallerTransaction("outbox", outboxDataSource, writerHooks, HandOver.NONE);
		if (watched) {
			this.caller.watch(this.transactionManager);
		}
		this.writer = new TransactionalOutboxWriter(this.caller,
				new EventAppender(OutboxFixture.database(outboxDataSource)), new EventTypes(List.of()),
				new StringSerializer(), writerHooks, new EventLimits(1000, 3, 100),
				(partitioner != null) ? partitioner : Partitioner.byKey(), 64);
	}

	static WriterFixture on(DataSource dataSource) {
		return new WriterFixture(dataSource, dataSource, List.of(), null, true).withBusinessTable();
	}

	static WriterFixture on(DataSource dataSource, WriterHook... hooks) {
		return new WriterFixture(dataSource, dataSource, List.of(hooks), null, true).withBusinessTable();
	}

	static WriterFixture on(DataSource dataSource, Partitioner partitioner) {
		return new WriterFixture(dataSource, dataSource, List.of(), partitioner, true).withBusinessTable();
	}

	static WriterFixture unwatched(DataSource dataSource) {
		return new WriterFixture(dataSource, dataSource, List.of(), null, false).withBusinessTable();
	}

	static WriterFixture wrapped(DataSource outboxDataSource, DataSource managedDataSource) {
		return new WriterFixture(outboxDataSource, managedDataSource, List.of(), null, true).withBusinessTable();
	}

	private WriterFixture withBusinessTable() {
		inTransaction(() -> {
			this.jdbc.execute("CREATE TABLE IF NOT EXISTS business (id VARCHAR(36) PRIMARY KEY)");
		});
		inTransaction(() -> {
			this.jdbc.update("DELETE FROM business");
			this.jdbc.update("DELETE FROM outbox_event");
		});
		return this;
	}

	void business(String id) {
		this.jdbc.update("INSERT INTO business (id) VALUES (?)", id);
	}

	void inTransaction(Runnable work) {
		template(this.transactionManager, TransactionDefinition.PROPAGATION_REQUIRED)
			.executeWithoutResult((status) -> work.run());
	}

	void in(int propagation, Runnable work) {
		template(this.transactionManager, propagation).executeWithoutResult((status) -> work.run());
	}

	static TransactionTemplate template(PlatformTransactionManager manager, int propagation) {
		TransactionTemplate template = new TransactionTemplate(manager);
		template.setPropagationBehavior(propagation);
		return template;
	}

	void watch(ConfigurableTransactionManager manager) {
		this.caller.watch(manager);
	}

	long events() {
		return count("outbox_event");
	}

	long businessRows() {
		return count("business");
	}

	private long count(String table) {
		List<Long> result = new ArrayList<>();
		inTransaction(() -> result.add(this.jdbc.queryForObject("SELECT COUNT(*) FROM " + table, Long.class)));
		return result.get(0);
	}

	/**
	 * Runs something and swallows its exception, as applications do.
	 */
	static RuntimeException swallowing(Runnable work) {
		AtomicReference<@Nullable RuntimeException> swallowed = new AtomicReference<>();
		try {
			work.run();
		}
		catch (RuntimeException ex) {
			swallowed.set(ex);
		}
		RuntimeException result = swallowed.get();
		if (result == null) {
			throw new AssertionError("Nothing was thrown");
		}
		return result;
	}

	/**
	 * An event whose payload is its string form.
	 *
	 * @param id the aggregate id
	 */
	@OutboxEvent(aggregateType = "Order", aggregateId = "id")
	record Placed(String id) {

	}

	/**
	 * An event that cannot be serialized.
	 */
	@OutboxEvent
	static final class Broken {

		@Override
		public String toString() {
			throw new UnsupportedOperationException("cannot be serialized");
		}

	}

	/**
	 * Uses the string form as text.
	 */
	private static final class StringSerializer implements EventSerializer {

		@Override
		public EventPayload serialize(Object event) {
			return EventPayload.text(event.toString());
		}

		@Override
		public <T> T deserialize(EventPayload payload, Class<T> type) {
			throw new UnsupportedOperationException();
		}

	}

}
