package dev.outbox;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a person sees on the console when an application does not start.
 */
public final class FailedStart {

	private FailedStart() {
	}

	/**
	 * Starts an application that must fail.
	 * @param output what captures the console
	 * @param application the configuration
	 * @param properties its properties
	 * @return the report between "Description:" and the end
	 */
	public static String report(CapturedOutput output, Class<?> application, String... properties) {
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> run(application, properties));
		String console = output.getAll();
		int start = console.indexOf("APPLICATION FAILED TO START");
		if (start < 0) {
			throw new AssertionError("No failure analyzer explained the failure:\n" + console);
		}
		return console.substring(start);
	}

	private static void run(Class<?> application, String... properties) {
		SpringApplication springApplication = new SpringApplicationBuilder(application).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.registerShutdownHook(false)
			.properties(properties)
			.build();
		try (ConfigurableApplicationContext context = springApplication.run()) {
			throw new AssertionError(context + " started");
		}
	}

}
