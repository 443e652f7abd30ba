package dev.outbox.engine;

/**
 * An outbox cannot run in the mode that it was given.
 */
public class OutboxModeException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String problem;

	private final String action;

	OutboxModeException(String problem, String action) {
		super(problem + ". " + action);
		this.problem = problem;
		this.action = action;
	}

	/**
	 * Return what is wrong.
	 * @return a description
	 */
	public String problem() {
		return this.problem;
	}

	/**
	 * Return what to do about it.
	 * @return an advice
	 */
	public String action() {
		return this.action;
	}

}
