package dev.outbox.sample;

import java.nio.file.Path;
import java.time.Duration;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.awaitility.Awaitility.await;

/**
 * The sample as a user starts it, on a free port and with its database in a given
 * directory.
 */
final class RunningSample implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private RunningSample(ConfigurableApplicationContext context) {
		this.context = context;
	}

	static RunningSample startIn(Path directory) {
		return new RunningSample(new SpringApplicationBuilder(SampleApplication.class).run("--server.port=0",
				"--spring.datasource.url=jdbc:h2:file:" + directory.resolve("orders") + ";DB_CLOSE_ON_EXIT=FALSE",
				"--sample.mail.directory=" + directory.resolve("mails")));
	}

	String address() {
		return "localhost:" + this.context.getEnvironment().getRequiredProperty("local.server.port");
	}

	RestTestClient http() {
		return RestTestClient.bindToServer().baseUrl("http://" + address()).build();
	}

	JdbcClient jdbc() {
		return this.context.getBean(JdbcClient.class);
	}

	int count(String table) {
		return jdbc().sql("SELECT COUNT(*) FROM " + table).query(Integer.class).single();
	}

	/**
	 * Wait until every event that was written is delivered.
	 */
	void awaitDelivery() {
		await().atMost(Duration.ofSeconds(30)).until(() -> count("outbox_event WHERE status <> 1") == 0);
	}

	@Override
	public void close() {
		this.context.close();
	}

}
