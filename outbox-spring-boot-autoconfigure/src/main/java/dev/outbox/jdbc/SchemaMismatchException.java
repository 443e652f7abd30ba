package dev.outbox.jdbc;

/**
 * The outbox's tables are missing or do not fit this release.
 */
public class SchemaMismatchException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String action;

	SchemaMismatchException(String problem, String action) {
		super(problem + ". " + action);
		this.action = action;
	}

	/**
	 * Return what to do about it.
	 * @return a sentence
	 */
	public String action() {
		return this.action;
	}

}
