package dev.outbox.store;

/**
 * What becomes of the row of a delivered event.
 */
public enum Completion {

	/**
	 * It is kept as DONE until it is purged.
	 */
	KEEP,

	/**
	 * It is deleted at once.
	 */
	DELETE

}
