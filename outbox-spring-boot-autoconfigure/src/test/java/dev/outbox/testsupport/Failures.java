package dev.outbox.testsupport;

import java.util.List;

/**
 * What may come out of any code at any time.
 */
public final class Failures {

	private Failures() {
	}

	public static List<Throwable> all() {
		return List.of(new IllegalStateException("an exception"), new OutOfMemoryError("an error"),
				new StackOverflowError(), new NoClassDefFoundError("a/missing/Class"), new AssertionError("a claim"),
				new InterruptedException());
	}

	public static List<Error> errors() {
		return all().stream().filter(Error.class::isInstance).map(Error.class::cast).toList();
	}

	/**
	 * Throws whatever it is, without declaring it.
	 */
	@SuppressWarnings("unchecked")
	public static <T extends Throwable> void raise(Throwable failure) throws T {
		throw (T) failure;
	}

}
