package dev.outbox.node;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node as a member of its outbox.
 * <ol>
 * <li>It joins under a random id that nobody had before.
 * <li>Each beat prolongs its lease in the table. The node itself reckons the lease from a
 * moment before the beat was sent, by its own monotonic clock, so it stops believing in
 * it before anybody else may.
 * <li>A beat that finds the node declared dead tells the listeners that everything
 * claimed under the old id is gone, and joins again under a new one.
 * <li>A beat that fails for another reason changes nothing: if nobody has declared the
 * node dead by the time the next one works, it goes on under the same id.
 * </ol>
 */
public final class Membership {

	private static final Logger logger = LoggerFactory.getLogger(Membership.class);

	private static final int MAX_NAME = 255;

	private final String outbox;

	private final NodeTable table;

	private final Duration lease;

	private final LongSupplier nanos;

	private final List<LeaseListener> listeners = new CopyOnWriteArrayList<>();

	private volatile @Nullable Lease current;

	public Membership(String outbox, NodeTable table, Duration lease) {
		this(outbox, table, lease, System::nanoTime);
	}

	Membership(String outbox, NodeTable table, Duration lease, LongSupplier nanos) {
		this.outbox = outbox;
		this.table = table;
		this.lease = lease;
		this.nanos = nanos;
	}

	/**
	 * Let somebody know what becomes of the lease.
	 * @param listener who wants to know
	 */
	public void addListener(LeaseListener listener) {
		this.listeners.add(listener);
	}

	/**
	 * Become a member.
	 * @return the id under which this node is known from now on
	 */
	public synchronized long join() {
		long sent = this.nanos.getAsLong();
		long id = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
		this.table.register(id, name(), this.lease);
		this.current = new Lease(id, sent + this.lease.toNanos());
		logger.debug("{}: joined as node {}", this.outbox, id);
		this.listeners.forEach(LeaseListener::renewed);
		return id;
	}

	/**
	 * Give a sign of life, joining first if this node is not a member.
	 */
	public synchronized void beat() {
		Lease held = this.current;
		if (held == null) {
			join();
			return;
		}
		long sent = this.nanos.getAsLong();
		if (this.table.beat(held.nodeId(), this.lease)) {
			this.current = new Lease(held.nodeId(), sent + this.lease.toNanos());
			this.listeners.forEach(LeaseListener::renewed);
			return;
		}
		this.current = null;
		logger.warn("{}: node {} was declared dead because its signs of life came too late; others take over its "
				+ "events, and it goes on under a new id", this.outbox, held.nodeId());
		this.listeners.forEach((listener) -> listener.lost(held.nodeId()));
		join();
	}

	/**
	 * Stop being a member after everything has been given back, so that nobody waits for
	 * the lease.
	 */
	public synchronized void leave() {
		Lease held = this.current;
		this.current = null;
		if (held != null) {
			this.table.signOff(held.nodeId());
		}
	}

	/**
	 * Stop being a member without telling the others, who take over when the lease ends.
	 */
	public synchronized void abandon() {
		this.current = null;
	}

	/**
	 * Return the id of this node if it may act under it now.
	 * @return the id, or {@code null} if the lease may be over
	 */
	public @Nullable Long liveId() {
		Lease held = this.current;
		return (held != null && this.nanos.getAsLong() - held.deadline() < 0) ? held.nodeId() : null;
	}

	/**
	 * Return whether a node id is this node's and it may act under it now.
	 * @param nodeId the id
	 * @return whether the lease holds
	 */
	public boolean isLive(long nodeId) {
		Lease held = this.current;
		return held != null && held.nodeId() == nodeId && this.nanos.getAsLong() - held.deadline() < 0;
	}

	/**
	 * Return the id of this node, whether or not its lease holds.
	 * @return the id, or {@code null} if it is no member
	 */
	public @Nullable Long id() {
		Lease held = this.current;
		return (held != null) ? held.nodeId() : null;
	}

	private static String name() {
		String name;
		try {
			name = InetAddress.getLocalHost().getHostName() + ":" + ProcessHandle.current().pid();
		}
		catch (UnknownHostException ex) {
			name = ManagementFactory.getRuntimeMXBean().getName();
		}
		return (name.length() > MAX_NAME) ? name.substring(0, MAX_NAME) : name;
	}

	/**
	 * A lease as far as this node knows.
	 *
	 * @param nodeId the id it is for
	 * @param deadline when it may be over, by the monotonic clock
	 */
	private record Lease(long nodeId, long deadline) {

	}

}
