package dev.outbox.faults;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that many business threads and the delivery get along with hardly any
 * connections.
 */
@EachDatabase
class SmallPoolIntegrationTests {

	private static final int THREADS = 50;

	private static final int EACH = 10;

	private final TestDatabase database;

	SmallPoolIntegrationTests(TestDatabase database) {
		this.database = database;
	}

	@Test
	void oneConnectionIsEnough() throws Exception {
		writeAndDeliver(1);
	}

	@Test
	void twoConnectionsAreEnough() throws Exception {
		writeAndDeliver(2);
	}

	private void writeAndDeliver(int connections) throws InterruptedException {
		try (Bench bench = new Bench(this.database)) {
			HikariDataSource pool = Bench.pool(bench.source().url(), bench.source().username(),
					bench.source().password(), connections);
			pool.setConnectionTimeout(Duration.ofSeconds(30).toMillis());
			SmallApplication node = bench.nodeOn("node", pool).listeningTo("plain").start();
			assertThat(failuresOfWriters(node)).isEmpty();
			assertThat(bench.business()).hasSize(THREADS * EACH);
			bench.awaitAllDelivered();
			assertThat(bench.journal().repeated()).isEmpty();
		}
	}

	private static List<Exception> failuresOfWriters(SmallApplication node) throws InterruptedException {
		Queue<Exception> failures = new ConcurrentLinkedQueue<>();
		ExecutorService business = Executors.newFixedThreadPool(THREADS);
		try {
			List<Runnable> work = IntStream.range(0, THREADS * EACH)
				.<Runnable>mapToObj((i) -> () -> node.write("plain"))
				.toList();
			business.invokeAll(work.stream().map((write) -> Executors.callable(() -> {
				try {
					write.run();
				}
				catch (RuntimeException ex) {
					failures.add(ex);
				}
			})).toList());
		}
		finally {
			business.shutdown();
		}
		return List.copyOf(failures);
	}

}
