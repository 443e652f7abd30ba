package dev.outbox.architecture;

import java.time.Clock;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nodes need not agree what time it is: leases and due times are compared in the
 * database, by its clock, and what a node measures itself it measures by its monotonic
 * clock.
 */
class ClockTests {

	/**
	 * Who reads the clock of the machine, and why that decides nothing about a claim:
	 * <ul>
	 * <li>an id by default begins with the time, for the order of the index,
	 * <li>an event says when it occurred by the writer's clock,
	 * <li>the poller is asked to look when an event of this node should be due; the
	 * database decides whether it is, and the poller looks anyway.
	 * </ul>
	 */
	private static final Set<String> HARMLESS = Set.of("dev.outbox.Ulid.next", "dev.outbox.EventEnvelope.<init>",
			"dev.outbox.dispatch.HotPath.due");

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.importPackages("dev.outbox");

	@Test
	void theClockOfTheMachineDecidesNothing() {
		Set<String> readers = new TreeSet<>();
		for (JavaClass type : CLASSES) {
			type.getAccessesFromSelf()
				.stream()
				.filter(ClockTests::readsTheClock)
				.forEach((access) -> readers.add(type.getName() + "." + access.getOrigin().getName()));
		}
		assertThat(readers).isEqualTo(HARMLESS);
	}

	private static boolean readsTheClock(JavaAccess<?> access) {
		String owner = access.getTargetOwner().getName();
		String name = access.getTarget().getName();
		return name.equals("currentTimeMillis") || owner.equals(Clock.class.getName())
				|| (name.equals("now") && owner.startsWith(Instant.class.getPackageName() + "."));
	}

}
