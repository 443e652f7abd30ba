package dev.outbox.architecture;

import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.context.annotation.Bean;

import static com.tngtech.archunit.lang.conditions.ArchConditions.dependOnClassesThat;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.constructors;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the code to the package table and the rules of the conventions.
 */
class ArchitectureTests {

	private static final String ROOT = "dev.outbox";

	/**
	 * Which package may use which others. A package that comes into being must be entered
	 * here.
	 */
	private static final Map<String, Set<String>> MAY_USE = Map.ofEntries(Map.entry("", Set.of()),
			Map.entry("jdbc", Set.of("")), Map.entry("store", Set.of("", "jdbc")), Map.entry("serialize", Set.of("")),
			Map.entry("node", Set.of("", "jdbc")), Map.entry("listener", Set.of("", "serialize")),
			Map.entry("retry", Set.of("")), Map.entry("write", Set.of("", "jdbc", "store", "serialize", "node")),
			Map.entry("dispatch", Set.of("", "jdbc", "store", "serialize", "listener", "retry", "node", "write")),
			Map.entry("partition", Set.of("", "jdbc", "node", "store", "dispatch", "write")),
			Map.entry("relay", Set.of("", "jdbc", "dispatch", "store", "node", "partition")),
			Map.entry("dead", Set.of("", "jdbc", "store")), Map.entry("engine", Set.of("", "jdbc", "store", "serialize",
					"listener", "retry", "node", "write", "dispatch", "partition", "relay", "dead")));

	/**
	 * Adapters, each of which may be absent, so nobody may use them, not even another
	 * one.
	 */
	private static final Set<String> ADAPTERS = Set.of("kafka", "inbox", "ingress", "cdc", "observe", "actuate",
			"monitor", "test");

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.importPackages(ROOT);

	@Test
	void packagesUseOnlyWhatTheTableSays() {
		Set<String> violations = new TreeSet<>();
		for (JavaClass type : CLASSES) {
			for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
				String from = feature(type);
				JavaClass target = dependency.getTargetClass().getBaseComponentType();
				if (isOurs(target) && !feature(target).equals(from) && !mayUse(from, feature(target))) {
					violations.add(dependency.getDescription());
				}
			}
		}
		assertThat(violations).isEmpty();
	}

	@Test
	void packagesAreInTheTable() {
		assertThat(CLASSES.stream().map(ArchitectureTests::feature).collect(Collectors.toSet()))
			.hasSizeGreaterThanOrEqualTo(6)
			.allSatisfy((feature) -> assertThat(MAY_USE.containsKey(feature) || ADAPTERS.contains(feature)).as(feature)
				.isTrue());
	}

	@Test
	void packagesHaveNoCycles() {
		slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CLASSES);
		check(noClasses().that().resideInAPackage(ROOT).should().dependOnClassesThat().resideInAPackage(ROOT + ".*.."));
	}

	@Test
	void packagesSayWhatTheyAreForAndThatNothingIsNull() {
		Set<String> marked = CLASSES.stream()
			.filter((type) -> type.getSimpleName().equals("package-info") && type.isAnnotatedWith(NullMarked.class))
			.map(JavaClass::getPackageName)
			.collect(Collectors.toSet());
		assertThat(marked).isEqualTo(CLASSES.stream().map(JavaClass::getPackageName).collect(Collectors.toSet()));
	}

	@Test
	void timesNeverGoThroughClassesThatUseTheZoneOfTheJvm() {
		for (Class<?> type : List.of(java.sql.Timestamp.class, java.sql.Date.class, java.sql.Time.class, Date.class,
				java.util.Calendar.class, java.time.LocalDateTime.class, java.time.ZonedDateTime.class)) {
			check(noClasses().should().dependOnClassesThat().areAssignableTo(type));
		}
	}

	@Test
	void autoConfigurationsAreClosed() {
		check(classes().that()
			.areAnnotatedWith(AutoConfiguration.class)
			.should()
			.bePublic()
			.andShould()
			.haveModifier(JavaModifier.FINAL)
			.andShould()
			.haveSimpleNameEndingWith("AutoConfiguration"));
		check(constructors().that()
			.areDeclaredInClassesThat()
			.areAnnotatedWith(AutoConfiguration.class)
			.should()
			.bePackagePrivate());
		check(methods().that().areAnnotatedWith(Bean.class).should().bePackagePrivate());
	}

	@Test
	void autoConfigurationsNameOnlyClassesThatAreThere() {
		Set<String> optional = Set.of("org.flywaydb", "org.springframework.boot.flyway",
				"org.springframework.boot.liquibase", "org.springframework.boot.jackson",
				"org.springframework.boot.hibernate", "org.springframework.boot.transaction", "jakarta.persistence");
		check(noClasses().that()
			.areAnnotatedWith(AutoConfiguration.class)
			.should(dependOnClassesThat(DescribedPredicate.describe("may be absent",
					(type) -> optional.stream().anyMatch(type.getPackageName()::startsWith)))));
	}

	@Test
	void flywayIsUsedInOnePlace() {
		check(classes().that(DescribedPredicate.describe("use Flyway", ArchitectureTests::usesFlyway))
			.should()
			.haveNameMatching("dev\\.outbox\\.jdbc\\.FlywayMigration(\\$.*)?"));
	}

	@Test
	void propertiesAreRecords() {
		check(classes().that().areAnnotatedWith(ConfigurationProperties.class).should().beRecords());
	}

	@Test
	void failureAnalyzersAreNobodysBusiness() {
		check(classes().that().areAssignableTo(FailureAnalyzer.class).should().bePackagePrivate());
	}

	@Test
	void namesSayTheRole() {
		check(noClasses().should().haveNameMatching(".*(Manager|Helper|Utils?|Impl)(\\$.*)?"));
	}

	@Test
	void nothingIsPrinted() {
		check(NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS);
		check(NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING);
		check(noClasses().should().callMethod(Throwable.class, "printStackTrace"));
	}

	@Test
	void nobodySleeps() {
		check(noClasses().should().callMethod(Thread.class, "sleep", long.class));
	}

	@Test
	void fieldsAreNotInjectedNorOpen() {
		check(fields().that()
			.areDeclaredInClassesThat()
			.resideInAPackage(ROOT + "..")
			.and()
			.areNotStatic()
			.should()
			.notBePublic()
			.andShould()
			.notBeAnnotatedWith(org.springframework.beans.factory.annotation.Autowired.class));
	}

	/**
	 * The code must run on a class path without them.
	 */
	@Test
	void onlyLibrariesThatThePomNamesAreUsed() {
		Set<String> known = Set.of("java.", "javax.sql", "dev.outbox", "org.springframework.", "org.slf4j",
				"org.jspecify", "tools.jackson.", "org.flywaydb.");
		check(noClasses().should(dependOnClassesThat(
				DescribedPredicate.describe("come from elsewhere", (type) -> !type.isPrimitive() && !type.isArray()
						&& Stream.of(known.toArray(String[]::new)).noneMatch(type.getName()::startsWith)))));
	}

	private void check(ArchRule rule) {
		rule.check(CLASSES);
	}

	private static boolean usesFlyway(JavaClass type) {
		return type.getDirectDependenciesFromSelf()
			.stream()
			.anyMatch((dependency) -> dependency.getTargetClass().getPackageName().startsWith("org.flywaydb"));
	}

	private static boolean mayUse(String from, String to) {
		if (ADAPTERS.contains(from)) {
			return !ADAPTERS.contains(to);
		}
		return MAY_USE.getOrDefault(from, Set.of()).contains(to);
	}

	private static boolean isOurs(JavaClass type) {
		return type.getPackageName().equals(ROOT) || type.getPackageName().startsWith(ROOT + ".");
	}

	/**
	 * The first part of the package below the root.
	 */
	private static String feature(JavaClass type) {
		String name = type.getPackageName();
		return name.equals(ROOT) ? "" : name.substring(ROOT.length() + 1).replaceFirst("\\..*", "");
	}

}
