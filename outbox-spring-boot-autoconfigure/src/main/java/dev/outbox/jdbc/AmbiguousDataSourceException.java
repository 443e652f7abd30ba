package dev.outbox.jdbc;

/**
 * It is not clear which DataSource the outbox should use.
 */
public class AmbiguousDataSourceException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	AmbiguousDataSourceException(String problem) {
		super(problem + ", so the outbox cannot tell which one to use");
	}

}
