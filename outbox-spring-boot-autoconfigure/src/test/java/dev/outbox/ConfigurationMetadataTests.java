package dev.outbox;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import dev.outbox.jdbc.OutboxProperties;
import dev.outbox.write.PartitionsProperties;
import dev.outbox.write.WriteProperties;
import org.junit.jupiter.api.Test;
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
	 * Those of the design's section 7 that there are by now.
	 */
	@Test
	void hasTheDefaultsOfTheDesign() {
		assertThat(defaultOf("outbox.enabled")).isEqualTo("true");
		assertThat(defaultOf("outbox.name")).isEqualTo("outbox");
		assertThat(defaultOf("outbox.table")).isEqualTo("outbox_event");
		assertThat(defaultOf("outbox.schema.name")).isNull();
		assertThat(defaultOf("outbox.schema.mode")).isEqualTo("auto");
		assertThat(defaultOf("outbox.write.max-payload")).isEqualTo("1MB");
		assertThat(defaultOf("outbox.write.max-headers")).isEqualTo("64");
		assertThat(defaultOf("outbox.write.max-header-bytes")).isEqualTo("16KB");
		assertThat(defaultOf("outbox.partitions.count")).isEqualTo("64");
		assertThat(defaultOf("outbox.jdbc.query-timeout")).isEqualTo("5s");
	}

	@Test
	void hasEveryPropertyWithADescriptionAndTheDefaultThatIsInForce() {
		Map<String, Object> bound = new TreeMap<>();
		Map<String, Class<?>> types = new TreeMap<>();
		for (Class<?> properties : Set.of(OutboxProperties.class, WriteProperties.class, PartitionsProperties.class)) {
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
