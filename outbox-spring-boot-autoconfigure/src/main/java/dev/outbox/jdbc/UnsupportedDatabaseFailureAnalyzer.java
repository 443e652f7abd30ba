package dev.outbox.jdbc;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains that a database is not supported.
 */
class UnsupportedDatabaseFailureAnalyzer extends AbstractFailureAnalyzer<UnsupportedDatabaseException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, UnsupportedDatabaseException cause) {
		return new FailureAnalysis(cause.getMessage(),
				"Use one of the supported databases (%s), give the outbox another DataSource with @OutboxDataSource, or define a bean of type SqlDialect."
					.formatted(UnsupportedDatabaseException.SUPPORTED),
				cause);
	}

}
