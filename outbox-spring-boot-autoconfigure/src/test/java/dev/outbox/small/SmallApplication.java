package dev.outbox.small;

import javax.sql.DataSource;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxWriter;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The smallest application that writes an event.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class SmallApplication {

	/**
	 * Starts it on an embedded database, writes one event and tells what is in the table.
	 */
	public static String run() {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(SmallApplication.class)
			.web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.registerShutdownHook(false)
			.properties("spring.datasource.generate-unique-name=true", "spring.flyway.enabled=false",
					"spring.liquibase.enabled=false", "spring.jpa.open-in-view=false",
					"spring.jpa.hibernate.ddl-auto=none")
			.run()) {
			OutboxWriter writer = context.getBean(OutboxWriter.class);
			new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
				.executeWithoutResult((status) -> writer.write(new Started("x")));
			return JdbcClient.create(context.getBean(DataSource.class))
				.sql("SELECT COUNT(*) FROM outbox_event WHERE event_type = 'Started'")
				.query(Integer.class)
				.single() + " event";
		}
	}

	@OutboxEvent
	record Started(String by) {

	}

}
