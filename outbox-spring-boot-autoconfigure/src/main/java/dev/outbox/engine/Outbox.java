package dev.outbox.engine;

import java.time.Duration;

import dev.outbox.OutboxWriter;
import dev.outbox.dead.DeadEvents;
import dev.outbox.dispatch.BackgroundLoop;
import dev.outbox.dispatch.DispatchStatistics;
import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.listener.ListenerRegistry;
import dev.outbox.node.NodeTable;
import dev.outbox.relay.Purge;
import dev.outbox.store.EventAdmin;
import dev.outbox.write.HandOver;
import dev.outbox.write.TransactionalOutboxWriter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionException;

/**
 * An outbox: what writes its events, what listens to them, and what delivers them. It
 * starts when the web server is ready and stops after the server has let its last request
 * end, before connections are closed. It can be started again after it was stopped.
 */
public final class Outbox implements SmartLifecycle {

	/**
	 * The phase in which outboxes start and stop: after the web server has begun to
	 * listen, and between its graceful shutdown and its end.
	 */
	public static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 1536;

	private static final Logger logger = LoggerFactory.getLogger(Outbox.class);

	private static final Duration PATIENCE = Duration.ofSeconds(2);

	private final OutboxParts parts;

	private final ModeAgreement agreement;

	private @Nullable BackgroundLoop purge;

	private volatile @Nullable OutboxRun run;

	private volatile boolean running;

	Outbox(OutboxParts parts) {
		this.parts = parts;
		OutboxMode mode = parts.settings().engine().mode();
		if (mode == OutboxMode.ORDERED) {
			throw new OutboxModeException(parts.name() + ": delivery in order per key is not available in this release",
					"Set outbox.mode to multi-node or single-node.");
		}
		this.agreement = new ModeAgreement(parts.name(), mode, parts.database());
	}

	/**
	 * Begin to build an outbox by hand. In an application, inject an
	 * {@link OutboxBuilder} instead: it knows the application's serializer, listeners and
	 * threads already.
	 * @return a builder
	 */
	public static OutboxBuilder builder() {
		return new OutboxBuilder();
	}

	/**
	 * Return the name, by which listeners choose their outbox.
	 * @return the name
	 */
	public String name() {
		return this.parts.name();
	}

	/**
	 * Return what writes events.
	 * @return the writer
	 */
	public OutboxWriter writer() {
		return this.parts.writer();
	}

	/**
	 * Return the events that were given up.
	 * @return the dead events
	 */
	public DeadEvents deadEvents() {
		return this.parts.deadEvents();
	}

	/**
	 * Return the listeners, to which others can be added at any time.
	 * @return the listeners
	 */
	public ListenerRegistry listeners() {
		return this.parts.listeners();
	}

	/**
	 * Return where the tables are.
	 * @return the database
	 */
	public OutboxDatabase database() {
		return this.parts.database();
	}

	/**
	 * Return the settings.
	 * @return the settings
	 */
	public OutboxSettings settings() {
		return this.parts.settings();
	}

	/**
	 * Return what was delivered since the last start.
	 * @return the statistics, or {@code null} if nothing is delivered here
	 */
	public @Nullable DispatchStatistics statistics() {
		OutboxRun current = this.run;
		return (current != null) ? current.dispatcher().statistics() : null;
	}

	/**
	 * Return the id under which the other nodes know this one.
	 * @return the id, or {@code null} if this is no node at the moment
	 */
	public @Nullable Long nodeId() {
		OutboxRun current = this.run;
		return (current != null) ? current.nodeId() : null;
	}

	void watch(ConfigurableTransactionManager manager) {
		if (writer() instanceof TransactionalOutboxWriter writer) {
			writer.watch(manager);
		}
	}

	@Override
	public synchronized void start() {
		if (this.running) {
			return;
		}
		OutboxSettings settings = this.parts.settings();
		agree();
		if (settings.engine().mode() == OutboxMode.WRITER_ONLY) {
			startPurge();
		}
		else if (settings.dispatch().enabled()) {
			OutboxRun starting = new OutboxRun(this.parts);
			starting.start();
			this.run = starting;
			logger.info("{}: delivers events as {}, mode: {}, listeners: {}, workers: {}", name(),
					describe(starting.nodeId()), settings.engine().mode(), listeners().endpoints().size(),
					settings.dispatch().workers());
		}
		else {
			logger.info("{}: delivers no events, other nodes do", name());
		}
		this.running = true;
	}

	private static String describe(@Nullable Long nodeId) {
		return (nodeId != null) ? "node " + nodeId : "a node that has not joined yet";
	}

	private void agree() {
		try {
			this.agreement.check();
		}
		catch (DataAccessException | TransactionException ex) {
			logger.debug("{}: the mode cannot be checked yet", name(), ex);
		}
	}

	private void startPurge() {
		if (this.parts.settings().purge().enabled()) {
			Purge duty = new Purge(name(), new EventAdmin(database()), new NodeTable(database()), null,
					this.parts.settings().purge());
			this.purge = new BackgroundLoop(name(), "purge", Duration.ofSeconds(1), duty::runOnce);
			this.purge.start();
		}
		logger.info("{}: only writes events", name());
	}

	@Override
	public synchronized void stop() {
		this.parts.handOver().to(HandOver.NONE);
		OutboxRun stopping = this.run;
		if (stopping != null) {
			stopping.stop(this.parts.settings().engine().shutdown().drain());
			this.run = null;
		}
		if (this.purge != null) {
			this.purge.stop(PATIENCE);
			this.purge = null;
		}
		this.running = false;
	}

	/**
	 * Stop in the background, so that several outboxes stop at the same time.
	 */
	@Override
	public void stop(Runnable callback) {
		Thread thread = new Thread(() -> {
			try {
				stop();
			}
			finally {
				callback.run();
			}
		}, name() + "-stop");
		thread.start();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
