package dev.outbox.testsupport;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * Runs a test class, or a single test method, once for each {@link TestDatabase} that is
 * {@link TestDatabase#switchedOn() switched on}. A class takes the database as its
 * constructor's parameter, a method as its own.
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedClass(name = "{0}", allowZeroInvocations = true)
@ParameterizedTest(name = "{0}", allowZeroInvocations = true)
@ExtendWith(NameDatabaseOnFailure.class)
@ArgumentsSource(SwitchedOnDatabases.class)
public @interface EachDatabase {

	/**
	 * The only databases that the test is for; all if empty.
	 */
	TestDatabase[] only() default {};

	/**
	 * Databases that the test is not for.
	 */
	TestDatabase[] except() default {};

}
