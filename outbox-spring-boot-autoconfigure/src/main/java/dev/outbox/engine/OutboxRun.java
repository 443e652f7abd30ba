package dev.outbox.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

import dev.outbox.dispatch.BackgroundLoop;
import dev.outbox.dispatch.Dispatcher;
import dev.outbox.dispatch.PollTrigger;
import dev.outbox.jdbc.OutboxDatabase;
import dev.outbox.node.HeartbeatConnection;
import dev.outbox.node.Membership;
import dev.outbox.node.NodeProperties;
import dev.outbox.node.NodeTable;
import dev.outbox.relay.ClaimSweep;
import dev.outbox.relay.Heartbeat;
import dev.outbox.relay.Poller;
import dev.outbox.relay.Purge;
import dev.outbox.relay.Reaper;
import dev.outbox.relay.Relay;
import dev.outbox.store.EventAdmin;
import dev.outbox.store.EventClaims;
import dev.outbox.store.EventSettlement;
import dev.outbox.store.NodeClaims;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A node of an outbox from one start to the next stop.
 */
final class OutboxRun {

	private static final Logger logger = LoggerFactory.getLogger(OutboxRun.class);

	private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

	private final OutboxParts parts;

	private final OutboxSettings settings;

	private final String name;

	private final HeartbeatConnection heartbeatConnection;

	private final Membership membership;

	private final AsyncTaskExecutor workers;

	private final Dispatcher dispatcher;

	private final Relay relay;

	OutboxRun(OutboxParts parts) {
		this.parts = parts;
		this.settings = parts.settings();
		this.name = parts.name();
		OutboxDatabase database = parts.database();
		NodeProperties node = this.settings.node();
		Integer poolSize = parts.poolSize().get();
		this.heartbeatConnection = new HeartbeatConnection(database.dataSource(), poolSize);
		if (poolSize != null && poolSize < HeartbeatConnection.SMALLEST_POOL) {
			logger.warn(
					"{}: the pool has {} connections, too few to keep one for signs of life. A node that gets none "
							+ "for {} is taken for dead; give the pool at least {}",
					this.name, poolSize, node.lease(), HeartbeatConnection.SMALLEST_POOL);
		}
		OutboxDatabase forBeats = database.through(this.heartbeatConnection,
				node.beatTimeout(this.settings.outbox().jdbc().queryTimeout()));
		ModeAgreement agreement = new ModeAgreement(this.name, this.settings.engine().mode(), forBeats);
		this.membership = new Membership(this.name, new NodeTable(forBeats), node.lease());
		this.workers = parts.workers().create(this.name + "-worker-", this.settings.dispatch().workers());
		EventClaims claims = new EventClaims(database);
		PollTrigger trigger = parts.trigger();
		this.dispatcher = new Dispatcher(this.name,
				new Dispatcher.Settings(this.settings.dispatch(), this.settings.completion(), this.settings.retry(),
						parts.policy(), this.settings.breaker(), parts.classifier()),
				this.membership, claims, new EventSettlement(database, this.settings.completion().mode()),
				parts.listeners(), parts.interceptors(), new TransactionTemplate(parts.transactionManager().get()),
				this.workers, trigger);
		NodeTable nodes = new NodeTable(database);
		NodeClaims nodeClaims = new NodeClaims(database);
		Reaper reaper = new Reaper(this.name, this.membership, nodes, nodeClaims, trigger::pull, node.heartbeat());
		Heartbeat heartbeat = (this.settings.engine().mode() == OutboxMode.SINGLE_NODE)
				? Heartbeat.alone(this.membership, agreement::check, nodes, reaper, this.heartbeatConnection,
						node.heartbeat())
				: Heartbeat.amongOthers(this.membership, agreement::check, this.heartbeatConnection, node.heartbeat());
		ReentrantLock claiming = new ReentrantLock();
		List<BackgroundLoop> duties = new ArrayList<>();
		if (this.settings.poll().enabled()) {
			Poller poller = new Poller(this.name, this.membership, claims, this.dispatcher, claiming,
					this.settings.poll());
			BackgroundLoop loop = duty("poll", () -> trigger.follow(poller::runOnce, poller::hurry));
			trigger.attach(loop);
			duties.add(loop);
		}
		if (node.reaper()) {
			duties.add(duty("reaper", reaper::runOnce));
		}
		duties.add(duty("sweep", new ClaimSweep(this.name, this.membership, nodeClaims, claims, this.dispatcher,
				claiming, node.lease())::runOnce));
		if (this.settings.purge().enabled()) {
			duties.add(duty("purge", new Purge(this.name, new EventAdmin(database), nodes, this.membership,
					this.settings.purge())::runOnce));
		}
		this.relay = new Relay(this.name, this.membership, this.dispatcher, nodeClaims, heartbeat, duties);
	}

	private BackgroundLoop duty(String what, BackgroundLoop.Duty duty) {
		return new BackgroundLoop(this.name, what, AFTER_FAILURE, duty);
	}

	Dispatcher dispatcher() {
		return this.dispatcher;
	}

	@Nullable Long nodeId() {
		return this.membership.id();
	}

	void start() {
		try {
			this.relay.start();
		}
		catch (RuntimeException | Error ex) {
			stopAfter(ex);
			throw ex;
		}
		this.parts.handOver().to(this.dispatcher.handOver());
	}

	/**
	 * Leave nothing running of a start that failed half-way.
	 */
	private void stopAfter(Throwable failure) {
		try {
			stop(Duration.ZERO);
		}
		catch (RuntimeException ex) {
			failure.addSuppressed(ex);
		}
	}

	void stop(Duration drain) {
		try {
			this.relay.stop(drain);
		}
		finally {
			close();
		}
	}

	private void close() {
		this.heartbeatConnection.drop();
		try {
			if (this.workers instanceof DisposableBean disposable) {
				disposable.destroy();
			}
			else if (this.workers instanceof AutoCloseable closeable) {
				closeable.close();
			}
		}
		catch (Exception ex) {
			logger.warn("{}: the workers' executor could not be closed", this.name, ex);
		}
	}

}
