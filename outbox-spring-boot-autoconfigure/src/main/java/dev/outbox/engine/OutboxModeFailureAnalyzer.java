package dev.outbox.engine;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains why an outbox cannot run in its mode.
 */
class OutboxModeFailureAnalyzer extends AbstractFailureAnalyzer<OutboxModeException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, OutboxModeException cause) {
		return new FailureAnalysis(cause.problem(), cause.action(), cause);
	}

}
