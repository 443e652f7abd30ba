package dev.outbox.testsupport;

import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Tells in the stack trace of a failed test which database it failed on: the console
 * shows only the name of the method.
 */
final class NameDatabaseOnFailure implements TestExecutionExceptionHandler {

	@Override
	public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
		Stream
			.iterate(Optional.of(context), Optional::isPresent,
					(current) -> current.flatMap(ExtensionContext::getParent))
			.flatMap(Optional::stream)
			.map(ExtensionContext::getDisplayName)
			.filter(NameDatabaseOnFailure::isDatabase)
			.findFirst()
			.ifPresent((database) -> failure.addSuppressed(new FailedOn(database)));
		throw failure;
	}

	private static boolean isDatabase(String name) {
		return Stream.of(TestDatabase.values()).anyMatch((database) -> database.name().equals(name));
	}

	/**
	 * Not a cause, only a remark.
	 */
	private static final class FailedOn extends Exception {

		private static final long serialVersionUID = 1L;

		FailedOn(String database) {
			super(database, null, false, false);
		}

	}

}
