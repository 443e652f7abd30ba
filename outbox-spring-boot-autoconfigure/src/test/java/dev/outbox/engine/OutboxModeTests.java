package dev.outbox.engine;

import java.util.UUID;

import dev.outbox.FailedStart;
import dev.outbox.dead.OutboxDeadAutoConfiguration;
import dev.outbox.jdbc.OutboxJdbcAutoConfiguration;
import dev.outbox.listener.OutboxListenerAutoConfiguration;
import dev.outbox.retry.OutboxRetryAutoConfiguration;
import dev.outbox.serialize.OutboxSerializeAutoConfiguration;
import dev.outbox.write.OutboxWriteAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of modes that cannot be, or not with each other.
 */
@ExtendWith(OutputCaptureExtension.class)
class OutboxModeTests {

	private final String database = UUID.randomUUID().toString();

	@Test
	void orderedDeliveryIsRefusedForNow(CapturedOutput output) {
		assertThat(start(output, "ordered")).contains("outbox: delivery in order per key is not available")
			.contains("Action:")
			.contains("Set outbox.mode to multi-node or single-node.");
	}

	@Test
	void nodesThatDisagreeAboutTheModeDoNotRunTogether(CapturedOutput output) {
		runWith("multi-node");
		assertThat(start(output, "writer-only"))
			.contains("outbox.mode is writer-only, but the tables are in use in mode multi-node or single-node")
			.contains("Action:")
			.contains("SET meta_value = 'foreign' WHERE meta_name = 'mode'");
	}

	@Test
	void theFirstOneMayBeTheWriter(CapturedOutput output) {
		runWith("writer-only");
		assertThat(start(output, "single-node"))
			.contains("outbox.mode is single-node, but the tables are in use in mode writer-only");
	}

	@Test
	void oneNodeAndManyNodesAreTheSameKindOfDelivery() {
		runWith("multi-node");
		runWith("single-node");
		runWith("multi-node");
	}

	private void runWith(String mode) {
		EngineFixture.runner(this.database)
			.withPropertyValues("outbox.mode=" + mode)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private String start(CapturedOutput output, String mode) {
		return FailedStart.report(output, Application.class, "outbox.mode=" + mode,
				"spring.datasource.url=" + EngineFixture.url(this.database));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
			OutboxDeadAutoConfiguration.class, OutboxEngineAutoConfiguration.class, OutboxJdbcAutoConfiguration.class,
			OutboxListenerAutoConfiguration.class, OutboxRetryAutoConfiguration.class,
			OutboxSerializeAutoConfiguration.class, OutboxWriteAutoConfiguration.class })
	static class Application {

	}

}
