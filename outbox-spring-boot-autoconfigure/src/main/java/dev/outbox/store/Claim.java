package dev.outbox.store;

/**
 * The right of a node to decide what becomes of an event. The number grows with every
 * claim and replay of the event, so an old claim of the same node does not pass for a
 * newer one.
 *
 * @param eventId the event
 * @param owner the id of the node
 * @param number which claim of the event it is
 */
public record Claim(String eventId, long owner, int number) {

	/**
	 * The number of the claim with which an event is written by the node that will
	 * deliver it.
	 */
	public static final int BORN = 1;

	/**
	 * Return the claim that the owner goes on with after this one.
	 * @return the claim with the next number
	 */
	public Claim next() {
		return new Claim(this.eventId, this.owner, this.number + 1);
	}

}
