package dev.outbox.serialize.duplicate;

import dev.outbox.OutboxEvent;

/**
 * One of two classes with one name.
 */
@OutboxEvent("Ambiguous")
public record FirstDuplicate() {

	/**
	 * The other one.
	 */
	@OutboxEvent("Ambiguous")
	public record SecondDuplicate() {

	}

}
