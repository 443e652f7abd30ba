package dev.outbox.engine;

/**
 * An outbox cannot run in the mode that it was given.
 */
public class OutboxModeException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String action;

	OutboxModeException(String problem, String action) {
		super(problem + ". " + action);
		this.action = action;
	}

	/**
	 * Return what to do about it.
	 * @return an advice
	 */
	public String action() {
		return this.action;
	}

}
