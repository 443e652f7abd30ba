package dev.outbox.serialize;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains how to tell two event classes apart.
 */
class DuplicateEventTypeFailureAnalyzer extends AbstractFailureAnalyzer<DuplicateEventTypeException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, DuplicateEventTypeException cause) {
		return new FailureAnalysis(cause.getMessage(),
				"Give one of the classes another name: @OutboxEvent(\"AnotherName\"). If its events are stored already, keep its name and change the other one's.",
				cause);
	}

}
