package dev.outbox.sample;

import java.nio.file.Path;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.web.servlet.client.RestTestClient;

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
				"--spring.datasource.url=jdbc:h2:file:" + directory.resolve("orders")));
	}

	RestTestClient http() {
		return RestTestClient.bindToServer()
			.baseUrl("http://localhost:" + this.context.getEnvironment().getRequiredProperty("local.server.port"))
			.build();
	}

	JdbcClient jdbc() {
		return this.context.getBean(JdbcClient.class);
	}

	int count(String table) {
		return jdbc().sql("SELECT COUNT(*) FROM " + table).query(Integer.class).single();
	}

	@Override
	public void close() {
		this.context.close();
	}

}
