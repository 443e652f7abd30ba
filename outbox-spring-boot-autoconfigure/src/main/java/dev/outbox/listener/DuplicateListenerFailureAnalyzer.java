package dev.outbox.listener;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains how two listeners can take the same events.
 */
class DuplicateListenerFailureAnalyzer extends AbstractFailureAnalyzer<DuplicateListenerException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, DuplicateListenerException cause) {
		return new FailureAnalysis(cause.getMessage(),
				"If both should get the events, give each of them an id of its own that will not change: "
						+ "@OutboxListener(id = \"mail\"). Otherwise remove one of them, or let each listen to "
						+ "another event type or aggregate type.",
				cause);
	}

}
