package dev.outbox.listener;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains how to repair a listener method.
 */
class InvalidListenerFailureAnalyzer extends AbstractFailureAnalyzer<InvalidListenerException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidListenerException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
	}

}
