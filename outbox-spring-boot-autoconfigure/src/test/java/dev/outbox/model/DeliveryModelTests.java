package dev.outbox.model;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Lets the model checker TLC try every order in which the steps of the delivery protocol
 * can follow each other. A model can hold because it allows too little, so every rule of
 * the protocol is also left out once, and TLC has to find out what that breaks.
 */
class DeliveryModelTests {

	private static final Path MODEL = Path.of("src", "test", "tla");

	private static final Path OUTPUT = Path.of("target", "tla");

	@ParameterizedTest
	@ValueSource(strings = { "WithoutFaults", "WithoutDeaths", "WithFaults", "TwoEvents", "Repaired", "RepairedOnce" })
	void guaranteesHold(String configuration) throws Exception {
		assertThat(check(configuration)).contains("Model checking completed. No error has been found.");
	}

	@Tag("slow")
	@ParameterizedTest
	@ValueSource(strings = "TwoFaultsAndReplay")
	void guaranteesHoldInLargerModels(String configuration) throws Exception {
		guaranteesHold(configuration);
	}

	/**
	 * Configurations named after what they leave out, and those of the protocol without
	 * its repairs: {@code SettleAfterDeath}, {@code SlowReply}, {@code LostCompletion}.
	 */
	@ParameterizedTest
	@CsvSource({ "ReaperSweepsOnce, G1_Delivered", "SelfReleaseMissing, G1_Delivered",
			"SelfReleaseMissingUnknownCommit, G1_Delivered", "LostCompletion, G1_Delivered",
			"ClaimNumberIgnored, G1_OutcomeOfItsClaim", "VerifySkipped, G2_CommittedOnly", "SelfReleaseAtOnce, G3_Once",
			"SelfReleaseKnown, G3_Once", "SlowReply, G3_Once", "LateNodeKeepsId, G5_DeadStartsNothing",
			"LocalLeaseIgnored, G5_DeadStartsNothing", "StaleHandOver, G5_DeadStartsNothing",
			"SettleAfterDeath, G5_DeadChangesNothing", "SettleWithoutClaim, G7_NothingUnfinishedGoes",
			"PurgeUnguarded, G7_NothingUnfinishedGoes" })
	void ruleIsNeeded(String configuration, String property) throws Exception {
		String output = check(configuration);
		if (property.equals("G1_Delivered")) {
			// TLC does not name temporal properties, so it must be the only one.
			assertThat(Files.readString(MODEL.resolve(configuration + ".cfg"))).contains("PROPERTIES\n    " + property)
				.containsOnlyOnce("    G")
				.doesNotContain("INVARIANTS");
			assertThat(output).contains("Error: Temporal properties were violated.");
		}
		else {
			assertThat(output).containsPattern("Error: (Invariant|Action property) " + property + " is violated");
		}
	}

	@Test
	void noConfigurationIsForgotten() throws Exception {
		Set<String> checked = Stream.of("guaranteesHold", "guaranteesHoldInLargerModels", "ruleIsNeeded")
			.flatMap(DeliveryModelTests::configurations)
			.collect(Collectors.toSet());
		try (Stream<Path> files = Files.list(MODEL)) {
			assertThat(files.map((file) -> file.getFileName().toString())
				.filter((file) -> file.endsWith(".cfg"))
				.map((file) -> file.substring(0, file.length() - ".cfg".length()))).hasSameElementsAs(checked);
		}
	}

	private static Stream<String> configurations(String name) {
		return Stream.of(DeliveryModelTests.class.getDeclaredMethods())
			.filter((method) -> method.getName().equals(name))
			.flatMap((method) -> {
				ValueSource values = method.getAnnotation(ValueSource.class);
				return (values != null) ? Stream.of(values.strings())
						: Stream.of(method.getAnnotation(CsvSource.class).value()).map((line) -> line.split(",")[0]);
			});
	}

	/**
	 * Runs TLC in a JVM of its own, because it keeps its state in static fields.
	 */
	private static String check(String configuration) throws IOException, InterruptedException {
		Path output = Files.createDirectories(OUTPUT).resolve(configuration + ".out").toAbsolutePath();
		Path states = OUTPUT.resolve(configuration).toAbsolutePath();
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:+UseParallelGC", "-Xmx1g", "-cp", System.getProperty("java.class.path"), "tlc2.TLC", "-workers",
				"2", "-lncheck", "final", "-metadir", states.toString(), "-config", configuration + ".cfg",
				"Delivery.tla")
			.directory(MODEL.toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("TLC has finished; see %s", output).isTrue();
		}
		finally {
			process.destroyForcibly();
		}
		return Files.readString(output);
	}

}
