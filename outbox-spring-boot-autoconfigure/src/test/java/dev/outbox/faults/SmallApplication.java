package dev.outbox.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.EventEnvelope;
import dev.outbox.engine.BuiltOutboxes;
import dev.outbox.engine.Outbox;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An application with an outbox. Each of its transactions writes an event and a business
 * row with the event's id, so the table of business rows tells in the end which events
 * there are. Its listeners keep a journal:
 * <ul>
 * <li>of {@code plain} events, at once,
 * <li>of {@code slow} events, and take a few milliseconds afterwards,
 * <li>of {@code gated} events, and do not return before there is a file,
 * <li>of {@code poison} events, and end the process.
 * </ul>
 */
final class SmallApplication implements AutoCloseable {

	private final String name;

	private final HikariDataSource pool;

	private final Journal journal;

	private final Outbox outbox;

	private final TransactionTemplate transactions;

	private final JdbcTemplate jdbc;

	private final List<Thread> writers = new CopyOnWriteArrayList<>();

	private volatile boolean closing;

	SmallApplication(String name, HikariDataSource pool, Journal journal, Map<String, String> properties) {
		this.name = name;
		this.pool = pool;
		this.journal = journal;
		this.outbox = BuiltOutboxes.build(pool, pool.getMaximumPoolSize(), properties);
		this.transactions = new TransactionTemplate(new JdbcTransactionManager(pool));
		this.jdbc = new JdbcTemplate(pool);
	}

	/**
	 * Listen to events of some types.
	 */
	SmallApplication listeningTo(String... types) {
		for (String type : types) {
			this.outbox.listeners().register(type, this::on);
		}
		return this;
	}

	SmallApplication start() {
		this.outbox.start();
		return this;
	}

	Outbox outbox() {
		return this.outbox;
	}

	/**
	 * The file that lets the listener of gated events return.
	 */
	static Path gate(Journal journal) {
		return journal.file().resolveSibling("gate");
	}

	private void on(EventEnvelope event) {
		this.journal.note(event.eventId(), this.name);
		switch (event.eventType()) {
			case "slow" -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
			case "gated" -> awaitGate();
			case "poison" -> Runtime.getRuntime().halt(1);
			default -> {
			}
		}
	}

	private void awaitGate() {
		while (!Files.exists(gate(this.journal))) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
		}
	}

	/**
	 * Write an event.
	 * @return its id
	 */
	String write(String type) {
		return Objects.requireNonNull(this.transactions.execute((status) -> {
			String id = this.outbox.writer().write(type, "{}");
			this.jdbc.update("INSERT INTO business (event_id) VALUES (?)", id);
			return id;
		}));
	}

	/**
	 * Write many events in one transaction.
	 */
	void write(int count, String type) {
		this.transactions.executeWithoutResult((status) -> {
			for (int i = 0; i < count; i++) {
				write(type);
			}
		});
	}

	/**
	 * Write events in the background, whatever becomes of the transactions, until
	 * {@link #stopWriting()} or the end.
	 */
	SmallApplication keepWriting(String type, int threads) {
		for (int i = 0; i < threads; i++) {
			Thread thread = new Thread(() -> writeOnAndOn(type), "writer-" + i);
			thread.setDaemon(true);
			this.writers.add(thread);
			thread.start();
		}
		return this;
	}

	private void writeOnAndOn(String type) {
		while (!this.closing) {
			try {
				write(type);
			}
			catch (RuntimeException ex) {
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
			}
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
		}
	}

	void stopWriting() {
		this.closing = true;
		for (Thread writer : this.writers) {
			try {
				writer.join();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public void close() {
		stopWriting();
		this.outbox.stop();
		this.pool.close();
	}

}
