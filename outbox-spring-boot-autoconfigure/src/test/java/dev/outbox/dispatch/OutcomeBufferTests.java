package dev.outbox.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import javax.sql.DataSource;

import dev.outbox.store.Claim;
import dev.outbox.store.Completion;
import dev.outbox.store.EventSettlement;
import dev.outbox.store.Outcome;
import dev.outbox.store.OutboxFixture;
import dev.outbox.store.Settlement;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.DelegatingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link OutcomeBuffer}.
 */
@ExtendWith(OutputCaptureExtension.class)
class OutcomeBufferTests {

	private final OutboxFixture outbox = OutboxFixture.empty(TestDatabase.H2);

	private final Unanswering connections = new Unanswering(this.outbox.database.dataSource());

	private final InFlight inFlight = new InFlight((claim) -> {
	});

	private final OutcomeBuffer outcomes = new OutcomeBuffer("outbox",
			new EventSettlement(OutboxFixture.database(this.connections), Completion.KEEP),
			new Binder().bindOrCreate("outbox.completion", CompletionProperties.class), this.inFlight,
			new DispatchStatistics(), (delay) -> {
			});

	@AfterEach
	void letGo() {
		this.connections.answer.complete(null);
		this.outcomes.stop(Duration.ofSeconds(30));
	}

	@Test
	void whatHangsOnItsWayToTheDatabaseIsNotRecorded() {
		this.connections.answer = new CompletableFuture<>();
		this.outcomes.start();
		this.outcomes.add(outcome());
		await().atMost(Duration.ofSeconds(30)).untilTrue(this.connections.asked);
		assertThat(this.outcomes.stop(Duration.ofMillis(1))).isFalse();
		this.connections.answer.complete(null);
		assertThat(this.outcomes.stop(Duration.ofSeconds(30))).isTrue();
		await().atMost(Duration.ofSeconds(30)).until(() -> this.inFlight.size() == 0);
	}

	@Test
	void anOutcomeThatMatchesNoClaimIsLoggedWithAllThatMayHaveHappened(CapturedOutput output) {
		this.outcomes.add(outcome());
		this.outcomes.runOnce();
		assertThat(output).contains("1 outcomes").contains("recorded already or taken over by others");
	}

	private Settlement outcome() {
		Claim claim = new Claim("event", 7, Claim.BORN);
		this.inFlight.add(claim);
		return new Settlement(claim, new Outcome.Done(), 0, null);
	}

	/**
	 * A DataSource that keeps whoever asks it waiting, interrupted or not.
	 */
	private static final class Unanswering extends DelegatingDataSource {

		private final AtomicBoolean asked = new AtomicBoolean();

		private volatile CompletableFuture<Void> answer = CompletableFuture.completedFuture(null);

		Unanswering(DataSource target) {
			super(target);
		}

		@Override
		public Connection getConnection() throws SQLException {
			CompletableFuture<Void> awaited = this.answer;
			this.asked.set(!awaited.isDone());
			awaited.join();
			return super.getConnection();
		}

	}

}
