package dev.outbox;

/**
 * An event has a field that cannot be stored, delivered or logged as it is. The message
 * names the field and the rule, never the value.
 */
public class InvalidEventException extends OutboxException {

	private static final long serialVersionUID = 1L;

	private final String field;

	public InvalidEventException(String field, String problem) {
		super("Event field '" + field + "' " + problem);
		this.field = field;
	}

	/**
	 * Return the name of the field that was refused.
	 * @return the field's name as in {@link EventEnvelope}
	 */
	public String field() {
		return this.field;
	}

}
