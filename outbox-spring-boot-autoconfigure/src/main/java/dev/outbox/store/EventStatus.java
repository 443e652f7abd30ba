package dev.outbox.store;

/**
 * Where an event is in its life. Being claimed is not a status: a claimed event has an
 * owner.
 */
public enum EventStatus {

	/**
	 * Not tried yet.
	 */
	NEW(0),

	/**
	 * Delivered.
	 */
	DONE(1),

	/**
	 * Tried and due again later.
	 */
	RETRY(2),

	/**
	 * Given up; waits for an operator.
	 */
	DEAD(3);

	private final int code;

	EventStatus(int code) {
		this.code = code;
	}

	/**
	 * Return the number that stands in the table.
	 * @return the number
	 */
	public int code() {
		return this.code;
	}

	/**
	 * Return whether a delivery is still ahead.
	 * @return whether the status is NEW or RETRY
	 */
	public boolean isPending() {
		return this == NEW || this == RETRY;
	}

	static EventStatus of(int code) {
		for (EventStatus status : values()) {
			if (status.code == code) {
				return status;
			}
		}
		throw new IllegalArgumentException("There is no event status " + code);
	}

}
