package dev.outbox.serialize;

import dev.outbox.OutboxException;

/**
 * An event object could not be turned into a payload or back. The message names the types
 * involved; Jackson's own message is left out because it may quote the content.
 */
public class EventSerializationException extends OutboxException {

	private static final long serialVersionUID = 1L;

	/**
	 * Say what could not be read or written.
	 * @param message names the types involved, never the content
	 */
	public EventSerializationException(String message) {
		super(message);
	}

}
