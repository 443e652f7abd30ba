package dev.outbox.jdbc;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains missing or unfit tables.
 */
class OutboxSchemaFailureAnalyzer extends AbstractFailureAnalyzer<SchemaMismatchException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, SchemaMismatchException cause) {
		return new FailureAnalysis(cause.problem() + ".", cause.action(), cause);
	}

}
