package dev.outbox.testsupport;

import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.AnnotationBasedArgumentsProvider;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * Provides the databases for {@link EachDatabase}.
 */
final class SwitchedOnDatabases extends AnnotationBasedArgumentsProvider<EachDatabase> {

	@Override
	protected Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context,
			EachDatabase annotation) {
		Set<TestDatabase> only = Set.of(annotation.only());
		Set<TestDatabase> except = Set.of(annotation.except());
		return TestDatabase.switchedOn()
			.stream()
			.filter((database) -> only.isEmpty() || only.contains(database))
			.filter((database) -> !except.contains(database))
			.map(Arguments::of);
	}

}
