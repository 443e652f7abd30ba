package dev.outbox.sample;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that events survive the process that was to deliver them.
 */
class SampleKillTests {

	private static final Duration LIMIT = Duration.ofMinutes(1);

	private static final int ORDERS = 20;

	@TempDir
	private Path directory;

	@Test
	void aKilledProcessDeliversTheRestWhenItIsStartedAgain() throws IOException {
		String url = "jdbc:h2:file:" + this.directory.resolve("orders") + ";WRITE_DELAY=0;DB_CLOSE_ON_EXIT=FALSE";
		// Who waited for this lease would still wait when the test is over.
		String[] arguments = { "--spring.datasource.url=" + url, "--outbox.node.lease=1h" };
		try (SampleProcess first = start("first", "2s", arguments).awaitStart()) {
			first.placeOrders(ORDERS);
			awaitOrdersInTheMiddle(first);
			first.kill();
		}
		assertThat(mails()).hasSizeLessThan(ORDERS);
		try (SampleProcess second = start("second", "0s", arguments).awaitStart()) {
			await().atMost(LIMIT).until(() -> mails().size() == ORDERS && second.count("/shipments") == ORDERS);
			second.stop();
			assertThat(second.log()).doesNotContain("did not stop cleanly");
		}
		JdbcClient jdbc = jdbc(url, "sa", "");
		assertThat(unfinished(jdbc)).isZero();
		assertEachOrderHasItsEffects(jdbc);
	}

	@Test
	void theSurvivorOfTwoNodesDeliversWhatAKilledOneHad() throws IOException {
		try (PostgresForSample postgres = PostgresForSample.startIn(this.directory.resolve("postgresql"))) {
			String[] arguments = { "--spring.profiles.active=postgresql", "--spring.datasource.url=" + postgres.url(),
					"--spring.datasource.username=postgres", "--spring.datasource.password=postgres",
					"--outbox.node.heartbeat=500ms", "--outbox.node.lease=3s" };
			JdbcClient jdbc = jdbc(postgres.url(), "postgres", "postgres");
			try (SampleProcess victim = start("victim", "2s", arguments).awaitStart();
					SampleProcess survivor = start("survivor", "0s", arguments).awaitStart()) {
				victim.placeOrders(ORDERS);
				awaitOrdersInTheMiddle(victim);
				victim.kill();
				assertThat(mails()).hasSizeLessThan(ORDERS);
				await().atMost(LIMIT).until(() -> mails().size() == ORDERS && unfinished(jdbc) == 0);
				assertThat(survivor.log()).containsPattern("took \\d+ events back from 1 nodes that are gone");
			}
			assertEachOrderHasItsEffects(jdbc);
		}
	}

	private SampleProcess start(String name, String mailTakes, String... arguments) throws IOException {
		String[] all = Stream
			.concat(Stream.of(arguments), Stream.of("--sample.mail.directory=" + this.directory.resolve("mails"),
					"--sample.mail.takes=" + mailTakes))
			.toArray(String[]::new);
		return SampleProcess.start(this.directory.resolve(name + ".log"), all);
	}

	/**
	 * Wait until some orders are finished, and some have their shipment and wait for
	 * their mail.
	 */
	private void awaitOrdersInTheMiddle(SampleProcess sample) {
		await().atMost(LIMIT).until(() -> mails().size() > 3 && sample.count("/shipments") > mails().size());
	}

	/**
	 * The texts of the mails that were sent.
	 */
	private List<String> mails() throws IOException {
		Path mails = this.directory.resolve("mails");
		List<String> texts = new ArrayList<>();
		if (Files.exists(mails)) {
			try (DirectoryStream<Path> files = Files.newDirectoryStream(mails)) {
				for (Path file : files) {
					texts.add(Files.readString(file));
				}
			}
		}
		return texts;
	}

	/**
	 * The shipment is in the same database, so there is exactly one. The mail is not, so
	 * there is at least one, and the mail server knows that it is the same.
	 */
	private void assertEachOrderHasItsEffects(JdbcClient jdbc) throws IOException {
		List<String> orders = jdbc.sql("SELECT id FROM customer_order").query(String.class).list();
		assertThat(orders).hasSize(ORDERS);
		assertThat(jdbc.sql("SELECT order_id FROM shipment").query(String.class).list())
			.containsExactlyInAnyOrderElementsOf(orders);
		assertThat(mails()).containsExactlyInAnyOrderElementsOf(
				orders.stream().map((id) -> "Thank you for order " + id + ": 1 x book").toList());
	}

	private static long unfinished(JdbcClient jdbc) {
		return jdbc.sql("SELECT COUNT(*) FROM outbox_event WHERE status <> 1").query(Long.class).single();
	}

	private static JdbcClient jdbc(String url, String username, String password) {
		return JdbcClient.create(new DriverManagerDataSource(url, username, password));
	}

}
