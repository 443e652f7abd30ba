package dev.outbox;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import dev.outbox.small.SmallApplication;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs an application without the libraries that it need not have: the outbox's classes
 * are loaded anew by a class loader that has never heard of them, which is more than what
 * filtering does.
 */
class OptionalLibrariesTests {

	@ParameterizedTest
	@ValueSource(strings = { "(spring-boot-)?flyway.*",
			"hibernate.*|spring-boot-(hibernate|jpa|data-jpa|persistence)|spring-(orm|data-).*|.*persistence.*",
			"spring-boot-jackson", "(flyway|liquibase|hibernate).*|spring-boot-"
					+ "(flyway|liquibase|jackson|hibernate|jpa|data-.*|persistence)|spring-(orm|data-|aspects).*" })
	void applicationWritesEventsWithout(String libraries) throws Exception {
		assertThat(runWithout(libraries)).isEqualTo("1 event");
	}

	private static String runWithout(String libraries) throws Exception {
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		try (URLClassLoader loader = classLoaderWithout(libraries)) {
			thread.setContextClassLoader(loader);
			return (String) loader.loadClass(SmallApplication.class.getName()).getMethod("run").invoke(null);
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	private static URLClassLoader classLoaderWithout(String libraries) throws MalformedURLException {
		Pattern pattern = Pattern.compile("(" + libraries + ")(-\\d.*)?\\.jar");
		List<URL> urls = new ArrayList<>();
		int left = 0;
		for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
			Path path = Path.of(entry);
			if (pattern.matcher(path.getFileName().toString()).matches()) {
				left++;
			}
			else {
				urls.add(path.toUri().toURL());
			}
		}
		assertThat(left).as("libraries that match " + libraries).isPositive();
		return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
	}

}
