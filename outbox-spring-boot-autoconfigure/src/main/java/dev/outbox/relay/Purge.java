package dev.outbox.relay;

import java.time.Duration;

import dev.outbox.node.Membership;
import dev.outbox.node.NodeRecord;
import dev.outbox.node.NodeTable;
import dev.outbox.store.EventAdmin;
import dev.outbox.store.EventStatus;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes events that are old enough, batch by batch. Of several nodes the one that has
 * been there longest does it.
 */
public final class Purge {

	private static final Logger logger = LoggerFactory.getLogger(Purge.class);

	private final String outbox;

	private final EventAdmin events;

	private final NodeTable nodes;

	private final @Nullable Membership membership;

	private final PurgeProperties properties;

	/**
	 * Make a purge.
	 * @param outbox the name of the outbox
	 * @param events the events
	 * @param nodes the nodes
	 * @param membership this node, or {@code null} if it is none and purges anyway
	 * @param properties what to purge
	 */
	public Purge(String outbox, EventAdmin events, NodeTable nodes, @Nullable Membership membership,
			PurgeProperties properties) {
		this.outbox = outbox;
		this.events = events;
		this.nodes = nodes;
		this.membership = membership;
		this.properties = properties;
	}

	/**
	 * Delete all that is old enough now.
	 * @return how long to wait until the next time
	 */
	public Duration runOnce() {
		if (isItsTurn()) {
			int batch = this.properties.batch();
			purge("delivered", this.properties.doneAfter(), (age) -> this.events.purge(EventStatus.DONE, age, batch));
			purge("dead", this.properties.deadAfter(), (age) -> this.events.purge(EventStatus.DEAD, age, batch));
			purge("unfinished", this.properties.unfinishedAfter(), (age) -> this.events.purgeUnfinished(age, batch));
		}
		return this.properties.interval();
	}

	private boolean isItsTurn() {
		if (this.membership == null) {
			return true;
		}
		Long id = this.membership.id();
		return id != null && this.nodes.all()
			.stream()
			.filter((node) -> !node.dead())
			.findFirst()
			.map(NodeRecord::id)
			.filter(id::equals)
			.isPresent();
	}

	private void purge(String what, @Nullable Duration age, BatchPurge batchPurge) {
		if (age == null) {
			return;
		}
		int total = 0;
		int count;
		do {
			count = batchPurge.purge(age);
			total += count;
		}
		while (count > 0 && !Thread.currentThread().isInterrupted());
		if (total > 0) {
			logger.info("{}: deleted {} {} events older than {}", this.outbox, total, what, age);
		}
	}

	/**
	 * Deletes one batch.
	 */
	private interface BatchPurge {

		int purge(Duration age);

	}

}
