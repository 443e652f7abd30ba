package dev.outbox.write;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import dev.outbox.EventEnvelope;
import dev.outbox.EventNotWrittenException;
import dev.outbox.store.OutboxFixture;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDataSource;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * On MySQL and MariaDB a lock wait that times out undoes one statement and leaves the
 * transaction alive: without further measures the business data would be committed
 * without the event.
 */
@EachDatabase(only = { TestDatabase.MARIADB, TestDatabase.MYSQL })
class LockTimeoutTests {

	private final TestDatabase database;

	LockTimeoutTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void anInsertThatTimedOutRefusesTheCommit() throws Exception {
		ExecutorService threads = Executors.newSingleThreadExecutor();
		try (TestDataSource source = OutboxFixture.empty(this.database).source.anotherPool()) {
			WriterFixture application = WriterFixture.on(source.dataSource());
			EventEnvelope contested = EventEnvelope.builder("Type").eventId("contested").payloadJson("{}").build();
			CountDownLatch written = new CountDownLatch(1);
			CountDownLatch done = new CountDownLatch(1);
			Future<?> rival = threads.submit(() -> application.inTransaction(() -> {
				application.writer.write(contested);
				written.countDown();
				await(done);
			}));
			await(written);
			assertThatExceptionOfType(EventNotWrittenException.class).isThrownBy(() -> application.inTransaction(() -> {
				application.jdbc.execute("SET innodb_lock_wait_timeout = 1");
				application.business("1");
				WriterFixture.swallowing(() -> application.writer.write(contested));
				application.business("2");
			}));
			done.countDown();
			rival.get(30, TimeUnit.SECONDS);
			assertThat(application.businessRows()).isZero();
			assertThat(application.events()).isOne();
		}
		finally {
			threads.shutdownNow();
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
