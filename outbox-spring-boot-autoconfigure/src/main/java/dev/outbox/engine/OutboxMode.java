package dev.outbox.engine;

import java.util.Locale;

/**
 * How an outbox delivers its events.
 */
public enum OutboxMode {

	/**
	 * Any number of nodes share the work.
	 */
	MULTI_NODE,

	/**
	 * There is one node only. When it starts, it takes over at once what an earlier start
	 * left behind, instead of waiting for its lease.
	 */
	SINGLE_NODE,

	/**
	 * Events of one key are delivered in the order in which they were written.
	 */
	ORDERED,

	/**
	 * Events are only written; something else reads the table.
	 */
	WRITER_ONLY;

	/**
	 * Return the mode as it is written in properties.
	 */
	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
