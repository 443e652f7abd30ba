package dev.outbox.jdbc;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import dev.outbox.testsupport.TestDataSource;
import jakarta.annotation.PostConstruct;
import jakarta.persistence.EntityManagerFactory;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * An application with everything that is on the class path of the tests: JPA, Flyway and
 * Liquibase, of which its properties leave something over. Its beans use the outbox's
 * tables while they are being initialized.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EntityScan(basePackageClasses = OrderApplication.class)
class OrderApplication {

	/**
	 * Starts it on a database.
	 */
	static ConfigurableApplicationContext start(TestDataSource database, String... properties) {
		return start(OrderApplication.class, database, properties);
	}

	static ConfigurableApplicationContext start(Class<?> application, TestDataSource database, String... properties) {
		List<String> all = new ArrayList<>(
				List.of("spring.datasource.url=" + database.url(), "spring.datasource.username=" + database.username(),
						"spring.datasource.password=" + database.password(), "spring.jpa.hibernate.ddl-auto=validate",
						"spring.jpa.open-in-view=false", "spring.flyway.enabled=false",
						"spring.liquibase.enabled=false", "spring.flyway.locations=classpath:db/orders/flyway",
						"spring.liquibase.change-log=classpath:db/orders/liquibase/changelog.sql",
						"outbox.schema.mode=migrate"));
		all.addAll(Arrays.asList(properties));
		return new SpringApplicationBuilder(application).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.registerShutdownHook(false)
			.properties(all.toArray(String[]::new))
			.run();
	}

	@Bean
	EarlyBird earlyBird(JdbcTemplate jdbc) {
		return new EarlyBird(jdbc);
	}

	@Bean
	JpaEarlyBird jpaEarlyBird(EntityManagerFactory entityManagerFactory) {
		return new JpaEarlyBird(entityManagerFactory);
	}

	/**
	 * Writes into the event table as soon as it can.
	 */
	static class EarlyBird {

		private final JdbcTemplate jdbc;

		EarlyBird(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@PostConstruct
		void write() {
			this.jdbc.update(
					"""
							INSERT INTO outbox_event (event_id, event_type, aggregate_type, available_at, created_at, occurred_at)
							VALUES (?, 'Started', 'App', 0, 0, 0)""",
					"early-" + System.nanoTime());
		}

	}

	/**
	 * Reads the event table as soon as it can.
	 */
	static class JpaEarlyBird {

		private final EntityManagerFactory entityManagerFactory;

		private long found = -1;

		JpaEarlyBird(EntityManagerFactory entityManagerFactory) {
			this.entityManagerFactory = entityManagerFactory;
		}

		@PostConstruct
		void read() {
			this.found = this.entityManagerFactory.callInTransaction(
					(entityManager) -> entityManager.createQuery("SELECT COUNT(e) FROM StoredEvent e", Long.class)
						.getSingleResult());
		}

		long found() {
			return this.found;
		}

	}

}
