package dev.outbox;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.outbox.engine.OutboxSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.core.io.UrlResource;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what editors show about the properties.
 */
class ConfigurationMetadataTests {

	private final Map<String, JsonNode> metadata = metadata();

	/**
	 * Those of the design's section 7; of these, three are not set.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '=', value = { "enabled=true", "name=outbox", "mode=multi-node", "table=outbox_event",
			"schema.name=", "schema.mode=auto", "write.max-payload=1MB", "write.max-headers=64",
			"write.max-header-bytes=16KB", "dispatch.enabled=true", "dispatch.workers=4", "dispatch.hot-queue=1000",
			"dispatch.cold-queue=1000", "dispatch.hot-max-bytes=64MB", "dispatch.hot-max-per-transaction=100",
			"dispatch.unroutable-after=24h", "dispatch.listener-timeout=", "dispatch.stuck-warning=5m",
			"retry.max-attempts=10", "retry.initial-delay=200ms", "retry.max-delay=60s", "retry.multiplier=2",
			"retry.jitter=0.5", "retry.max-deferral=7d", "breaker.failures=20", "breaker.events=3",
			"breaker.probe-interval=5s", "completion.mode=keep", "completion.max-batch=500", "completion.max-delay=5ms",
			"poll.interval=5s", "poll.floor=50ms", "poll.batch=500", "node.heartbeat=2s", "node.lease=10s",
			"partitions.count=64", "purge.done-after=7d", "purge.dead-after=", "purge.unfinished-after=",
			"purge.interval=1h", "purge.batch=500", "jdbc.query-timeout=5s", "shutdown.drain=20s" })
	void hasTheDefaultsOfTheDesign(String property, String expected) {
		assertThat(defaultOf("outbox." + property)).isEqualTo(expected);
	}

	@Test
	void hasEveryPropertyWithADescriptionAndTheDefaultThatIsInForce() {
		Map<String, Object> bound = new TreeMap<>();
		Map<String, Class<?>> types = new TreeMap<>();
		for (RecordComponent part : OutboxSettings.class.getRecordComponents()) {
			Class<?> properties = part.getType();
			String prefix = properties.getAnnotation(ConfigurationProperties.class).value();
			Object instance = new Binder(new MapConfigurationPropertySource()).bindOrCreate(prefix, properties);
			collect(prefix, instance, bound, types);
		}
		assertThat(this.metadata.keySet()).isEqualTo(types.keySet());
		this.metadata.forEach((name, property) -> {
			assertThat(property.path("description").asString("")).as("description of " + name).matches("[A-Z].*\\.");
			String text = defaultOf(name);
			Object expected = (text != null)
					? ApplicationConversionService.getSharedInstance().convert(text, types.get(name)) : null;
			assertThat(bound.get(name)).as("default of " + name).isEqualTo(expected);
		});
	}

	/**
	 * The table in the documentation is made of the metadata. To make it anew, run this
	 * test with {@code -Doutbox.docs.write=true}.
	 */
	@Test
	void isWhatTheDocumentationShows() throws IOException {
		StringBuilder table = new StringBuilder("| property | type | default | |\n|---|---|---|---|\n");
		this.metadata.forEach((name,
				property) -> table.append("| `%s` | `%s` |%s | %s |\n".formatted(name,
						ClassUtils.getShortName(property.path("type").asString().replaceFirst(".*[.$]", "")),
						(defaultOf(name) != null) ? " `" + defaultOf(name) + "`" : "",
						property.path("description").asString())));
		Path page = Path.of("..", "docs", "configuration.md");
		String text = Files.readString(page);
		Matcher old = Pattern.compile("(?m)(^\\|.*\\n)+").matcher(text);
		assertThat(old.find()).isTrue();
		if (Boolean.getBoolean("outbox.docs.write")) {
			Files.writeString(page, text.substring(0, old.start()) + table + text.substring(old.end()));
		}
		else {
			assertThat(old.group()).isEqualTo(table.toString());
		}
	}

	@Test
	void listsTheAutoConfigurationsThatThereAre() throws Exception {
		String imports = UrlResource
			.from(OutboxWriter.class.getProtectionDomain().getCodeSource().getLocation()
					+ "META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports")
			.getContentAsString(StandardCharsets.UTF_8);
		assertThat(imports.lines().filter((line) -> line.startsWith("dev.outbox"))).isSorted()
			.allSatisfy((name) -> assertThat(ClassUtils.isPresent(name, null)).as(name).isTrue());
	}

	private String defaultOf(String name) {
		assertThat(this.metadata).containsKey(name);
		JsonNode value = this.metadata.get(name).path("defaultValue");
		return value.isMissingNode() ? null : value.asString();
	}

	private static void collect(String prefix, Object properties, Map<String, Object> values,
			Map<String, Class<?>> types) {
		for (RecordComponent component : properties.getClass().getRecordComponents()) {
			String name = prefix + "." + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
			Object value = read(component, properties);
			if (component.getType().isRecord()) {
				collect(name, value, values, types);
			}
			else {
				types.put(name, ClassUtils.resolvePrimitiveIfNecessary(component.getType()));
				values.put(name, value);
			}
		}
	}

	private static Object read(RecordComponent component, Object properties) {
		try {
			return component.getAccessor().invoke(properties);
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Map<String, JsonNode> metadata() {
		Map<String, JsonNode> properties = new TreeMap<>();
		try (InputStream json = UrlResource
			.from(OutboxWriter.class.getProtectionDomain().getCodeSource().getLocation()
					+ "META-INF/spring-configuration-metadata.json")
			.getInputStream()) {
			JsonMapper.builder().build().readTree(json).path("properties").forEach((property) -> {
				String name = property.path("name").asString();
				if (name.startsWith("outbox")) {
					properties.put(name, property);
				}
			});
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return properties;
	}

}
