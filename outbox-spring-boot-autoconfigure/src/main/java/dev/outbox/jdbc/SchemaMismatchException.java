package dev.outbox.jdbc;

/**
 * The outbox's tables are missing or do not fit this release.
 */
public class SchemaMismatchException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String problem;

	private final String action;

	SchemaMismatchException(String problem, String action) {
		super(problem + ". " + action);
		this.problem = problem;
		this.action = action;
	}

	/**
	 * Return what is wrong.
	 * @return a sentence without its full stop
	 */
	public String problem() {
		return this.problem;
	}

	/**
	 * Return what to do about it.
	 * @return a sentence
	 */
	public String action() {
		return this.action;
	}

}
