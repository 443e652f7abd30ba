package dev.outbox.serialize;

import java.util.List;

import dev.outbox.EventPayload;
import dev.outbox.FailedStart;
import dev.outbox.serialize.duplicate.FirstDuplicate;
import dev.outbox.serialize.sample.OrderPlaced;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OutboxSerializeAutoConfiguration}.
 */
class OutboxSerializeAutoConfigurationTests {

	private static final String AS_IT_IS = "{\"someName\":\"x\"}";

	private static final String SNAKE_CASE = "{\"some_name\":\"x\"}";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(OutboxSerializeAutoConfiguration.class));

	private final ApplicationContextRunner withJackson = this.runner
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class));

	@Test
	void writesJsonWithTheMapperOfTheApplication() {
		this.withJackson.run((context) -> assertThat(json(context.getBean(EventSerializer.class))).isEqualTo(AS_IT_IS));
		this.withJackson.withPropertyValues("spring.jackson.property-naming-strategy=SNAKE_CASE")
			.run((context) -> assertThat(json(context.getBean(EventSerializer.class))).isEqualTo(SNAKE_CASE));
	}

	@Test
	void writesJsonWithAMapperThatTheApplicationDefines() {
		this.withJackson.withUserConfiguration(OwnMapper.class).run((context) -> {
			assertThat(context).hasSingleBean(JsonMapper.class);
			assertThat(json(context.getBean(EventSerializer.class))).isEqualTo(SNAKE_CASE);
		});
	}

	@Test
	void writesJsonWithThePrimaryOfSeveralMappers() {
		this.runner.withUserConfiguration(OtherMapper.class, PrimaryMapper.class)
			.run((context) -> assertThat(json(context.getBean(EventSerializer.class))).isEqualTo(SNAKE_CASE));
	}

	@Test
	void writesJsonWithoutAnyMapperInTheApplication() {
		this.runner.run((context) -> assertThat(json(context.getBean(EventSerializer.class))).isEqualTo(AS_IT_IS));
	}

	@Test
	void addsNoMapperToTheApplication() {
		this.runner.run((context) -> assertThat(context).doesNotHaveBean(JsonMapper.class));
		this.withJackson.run((context) -> assertThat(context).hasSingleBean(JsonMapper.class));
	}

	@Test
	void backsOffForAnotherSerializer() {
		this.withJackson.withUserConfiguration(OwnSerializer.class).run((context) -> {
			assertThat(context).hasSingleBean(EventSerializer.class);
			assertThat(context.getBean(EventSerializer.class)).isInstanceOf(BytesSerializer.class);
		});
	}

	@Test
	void backsOffForOtherEventTypes() {
		this.runner.withUserConfiguration(OwnTypes.class, DuplicateApplication.class).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(EventTypes.class);
			assertThat(context.getBean(EventTypes.class).named("OrderPlaced")).isNotNull();
		});
	}

	@Test
	void knowsTheEventsInThePackagesOfTheApplication() {
		this.runner.withUserConfiguration(SampleApplication.class).run((context) -> {
			EventTypes types = context.getBean(EventTypes.class);
			assertThat(types.named("OrderPlaced").eventClass()).isEqualTo(OrderPlaced.class);
			assertThat(types.named("order.cancelled").eventClass().getSimpleName()).isEqualTo("Cancelled");
			assertThat(types.named("Reminder").eventClass().getSimpleName()).isEqualTo("Reminder");
			assertThat(types.named("Draft")).isNull();
		});
	}

	@Test
	void knowsNoEventsWhereThereAreNoPackagesToScan() {
		this.runner.run((context) -> assertThat(context.getBean(EventTypes.class).named("OrderPlaced")).isNull());
	}

	@Test
	void doesNothingWhenTheOutboxIsSwitchedOff() {
		this.withJackson.withPropertyValues("outbox.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(EventSerializer.class)
				.doesNotHaveBean(EventTypes.class));
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void startFailsWithAdviceIfTwoClassesHaveOneName(CapturedOutput output) {
		String report = FailedStart.report(output, DuplicateApplication.class);
		assertThat(report).contains("The event type 'Ambiguous' is claimed by both")
			.contains(FirstDuplicate.class.getName())
			.contains(FirstDuplicate.SecondDuplicate.class.getName())
			.contains("Action:")
			.contains("@OutboxEvent(\"AnotherName\")");
	}

	private static String json(EventSerializer serializer) {
		return ((EventPayload.Text) serializer.serialize(new Thing("x"))).value();
	}

	record Thing(String someName) {

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnMapper {

		@Bean
		JsonMapper ownMapper() {
			return JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrimaryMapper {

		@Bean
		@Primary
		JsonMapper primaryMapper() {
			return JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OtherMapper {

		@Bean
		JsonMapper otherMapper() {
			return JsonMapper.builder().build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnSerializer {

		@Bean
		EventSerializer ownSerializer() {
			return new BytesSerializer();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnTypes {

		@Bean
		EventTypes ownTypes() {
			return new EventTypes(List.of(OrderPlaced.class));
		}

	}

	@Configuration(proxyBeanMethods = false)
	@AutoConfigurationPackage(basePackageClasses = OrderPlaced.class)
	static class SampleApplication {

	}

	@Configuration(proxyBeanMethods = false)
	@AutoConfigurationPackage(basePackageClasses = FirstDuplicate.class)
	@ImportAutoConfiguration(OutboxSerializeAutoConfiguration.class)
	static class DuplicateApplication {

	}

	static class BytesSerializer implements EventSerializer {

		@Override
		public EventPayload serialize(Object event) {
			return EventPayload.bytes(new byte[0]);
		}

		@Override
		public <T> T deserialize(EventPayload payload, Class<T> type) {
			throw new UnsupportedOperationException();
		}

	}

}
