package dev.outbox.dead;

/**
 * Is told when dead events are to be delivered again, so that nobody waits for the next
 * look at the table.
 */
@FunctionalInterface
public interface ReplayListener {

	/**
	 * At least one event is due again.
	 */
	void replayed();

}
