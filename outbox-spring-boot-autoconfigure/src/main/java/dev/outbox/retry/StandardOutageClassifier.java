package dev.outbox.retry;

import dev.outbox.EventNotWrittenException;
import dev.outbox.OutboxException;
import dev.outbox.OutboxTransactionException;

/**
 * Takes the outbox's own exceptions for the event's fault: they say that it, or one that
 * its listener wanted to write, cannot be read or stored. Two kinds say nothing about the
 * event.
 */
final class StandardOutageClassifier implements OutageClassifier {

	@Override
	public boolean mayBeOutage(Throwable failure) {
		return Causes.of(failure).stream().noneMatch(StandardOutageClassifier::isAboutTheEvent);
	}

	private static boolean isAboutTheEvent(Throwable cause) {
		return cause instanceof OutboxException && !(cause instanceof EventNotWrittenException)
				&& !(cause instanceof OutboxTransactionException);
	}

}
