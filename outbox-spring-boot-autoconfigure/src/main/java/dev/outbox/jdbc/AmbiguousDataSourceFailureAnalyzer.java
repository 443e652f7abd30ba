package dev.outbox.jdbc;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains how to choose between several DataSources.
 */
class AmbiguousDataSourceFailureAnalyzer extends AbstractFailureAnalyzer<AmbiguousDataSourceException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, AmbiguousDataSourceException cause) {
		return new FailureAnalysis(cause.getMessage(),
				"Mark the DataSource whose transactions write the events, and no other, with @OutboxDataSource.",
				cause);
	}

}
