package dev.outbox.listener;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxListener;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.scheduling.annotation.Async;

import static dev.outbox.listener.ListenerFixture.runner;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for {@link ListenerMethod} and {@link ListenerAttributes}: what cannot be a
 * listener.
 */
class ListenerMethodTests {

	static List<Arguments> mistakes() {
		return List.of(arguments(NoParameter.class, "it has no parameter"),
				arguments(StaticMethod.class, "it is static"), arguments(PrivateMethod.class, "it is private"),
				arguments(ReturnsText.class, "it returns java.lang.String"),
				arguments(ReturnsFuture.class, "it returns java.util.concurrent.Future"),
				arguments(AsyncVoid.class, "it is @Async and returns void"),
				arguments(AsyncClass.class, "it is @Async and returns void"),
				arguments(NoEventType.class, "it does not say which events it wants"),
				arguments(EnvelopeOnly.class, "it does not say which events it wants"),
				arguments(TextOnly.class, "it does not say which events it wants"),
				arguments(HeadersFirst.class, "its first parameter is not the event"),
				arguments(AttemptFirst.class, "its first parameter is not the event"),
				arguments(RawList.class, "the class of its events is not known"),
				arguments(ListOfAnything.class, "the class of its events is not known"),
				arguments(Unbound.class, "the class of its events is not known"),
				arguments(TypeArguments.class, "a class with type arguments"),
				arguments(StrangeParameter.class, "does not know what to pass as java.lang.String"),
				arguments(StrangeMap.class, "does not know what to pass as java.util.Map"),
				arguments(TwoEvents.class, "does not know what to pass as " + OrderCancelled.class.getName()),
				arguments(TwoEnvelopes.class, "two parameters for the same thing"),
				arguments(EnvelopeTwice.class, "two parameters for the same thing"),
				arguments(TwoAttempts.class, "two parameters for the same thing"),
				arguments(TwoHeaders.class, "two parameters for the same thing"),
				arguments(BatchWithAttempt.class, "does not know what to pass as int"),
				arguments(BatchWithHeaders.class, "does not know what to pass as java.util.Map"),
				arguments(BatchWithEnvelope.class, "does not know what to pass as dev.outbox.EventEnvelope"),
				arguments(TransactionalAsync.class, "it is transactional but goes on"),
				arguments(BatchSizeForOne.class, "batchSize and batchWait are for lists"),
				arguments(BatchWaitForOne.class, "batchSize and batchWait are for lists"),
				arguments(InFlightForSync.class, "maxInFlight is for methods that go on"),
				arguments(BadDuration.class, "'soon' is not a valid duration"),
				arguments(NegativeDuration.class, "maxDelay must not be negative"),
				arguments(WrongOrder.class, "initialDelay must not be longer than maxDelay"),
				arguments(NoAttempts.class, "maxAttempts must be at least 1"),
				arguments(Shrinking.class, "multiplier must be at least 1"),
				arguments(EmptyBatch.class, "batchSize must be at least 1"),
				arguments(BadId.class, "The id of a listener must consist of"),
				arguments(EmptyEventType.class, "'eventType' must not be empty"),
				arguments(LongAggregateType.class, "'aggregateType' has 65 characters"),
				arguments(Unresolved.class, "eventType = \"${no.such.property}\" cannot be resolved"));
	}

	@ParameterizedTest
	@MethodSource("mistakes")
	void startFailsAndTellsWhy(Class<?> listener, String problem) {
		runner().withBean(listener)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(InvalidListenerException.class,
						(ex) -> assertThat(ex).hasMessageContaining(problem)
							.hasMessageContaining("@OutboxListener on " + listener.getName() + ".on("))
				.extracting((ex) -> ((InvalidListenerException) ex).action())
				.asString()
				.isNotBlank());
	}

	@Test
	void adviceDoesNotNameAClassThatCannotBeAnEvent() {
		runner().withBean(NoEventType.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOfSatisfying(InvalidListenerException.class, (ex) -> assertThat(ex.action())
					.isEqualTo("Name the events: @OutboxListener(\"OrderPlaced\").")));
	}

	static class NoParameter {

		@OutboxListener("OrderPlaced")
		void on() {
		}

	}

	static class StaticMethod {

		@OutboxListener
		static void on(OrderPlaced event) {
		}

	}

	static class PrivateMethod {

		@OutboxListener
		private void on(OrderPlaced event) {
		}

	}

	static class ReturnsText {

		@OutboxListener
		String on(OrderPlaced event) {
			return "";
		}

	}

	static class ReturnsFuture {

		@OutboxListener
		Future<String> on(OrderPlaced event) {
			return CompletableFuture.completedFuture("");
		}

	}

	static class AsyncVoid {

		@OutboxListener
		@Async
		void on(OrderPlaced event) {
		}

	}

	@Async
	static class AsyncClass {

		@OutboxListener
		void on(OrderPlaced event) {
		}

	}

	static class NoEventType {

		@OutboxListener
		void on(StringBuilder event) {
		}

	}

	static class EnvelopeOnly {

		@OutboxListener
		void on(EventEnvelope event) {
		}

	}

	static class TextOnly {

		@OutboxListener
		void on(String event) {
		}

	}

	static class HeadersFirst {

		@OutboxListener("OrderPlaced")
		void on(Map<String, String> headers, OrderPlaced event) {
		}

	}

	static class AttemptFirst {

		@OutboxListener("OrderPlaced")
		void on(int attempt, OrderPlaced event) {
		}

	}

	static class RawList {

		@OutboxListener("OrderPlaced")
		@SuppressWarnings("rawtypes")
		void on(List events) {
		}

	}

	static class ListOfAnything {

		@OutboxListener("OrderPlaced")
		void on(List<?> events) {
		}

	}

	static class Unbound {

		@OutboxListener("OrderPlaced")
		<T> void on(T event) {
		}

	}

	static class TypeArguments {

		@OutboxListener("OrderPlaced")
		void on(Set<OrderPlaced> event) {
		}

	}

	static class StrangeParameter {

		@OutboxListener
		void on(OrderPlaced event, String strange) {
		}

	}

	static class StrangeMap {

		@OutboxListener
		void on(OrderPlaced event, Map<String, Object> headers) {
		}

	}

	static class TwoEvents {

		@OutboxListener
		void on(OrderPlaced event, OrderCancelled other) {
		}

	}

	static class TwoEnvelopes {

		@OutboxListener
		void on(OrderPlaced event, EventEnvelope envelope, EventEnvelope other) {
		}

	}

	static class EnvelopeTwice {

		@OutboxListener("OrderPlaced")
		void on(EventEnvelope event, EventEnvelope other) {
		}

	}

	static class TwoAttempts {

		@OutboxListener
		void on(OrderPlaced event, int attempt, Integer other) {
		}

	}

	static class TwoHeaders {

		@OutboxListener
		void on(OrderPlaced event, Map<String, String> headers, Map<String, String> others) {
		}

	}

	static class BatchWithAttempt {

		@OutboxListener
		void on(List<OrderPlaced> events, int attempt) {
		}

	}

	static class BatchWithHeaders {

		@OutboxListener
		void on(List<OrderPlaced> events, Map<String, String> headers) {
		}

	}

	static class BatchWithEnvelope {

		@OutboxListener
		void on(List<OrderPlaced> events, EventEnvelope envelope) {
		}

	}

	static class TransactionalAsync {

		@OutboxListener(transactional = true)
		@Nullable CompletableFuture<Void> on(OrderPlaced event) {
			return null;
		}

	}

	static class BatchSizeForOne {

		@OutboxListener(batchSize = 10)
		void on(OrderPlaced event) {
		}

	}

	static class BatchWaitForOne {

		@OutboxListener(batchWait = "1s")
		void on(OrderPlaced event) {
		}

	}

	static class InFlightForSync {

		@OutboxListener(maxInFlight = 10)
		void on(OrderPlaced event) {
		}

	}

	static class BadDuration {

		@OutboxListener(initialDelay = "soon")
		void on(OrderPlaced event) {
		}

	}

	static class NegativeDuration {

		@OutboxListener(maxDelay = "-1s")
		void on(OrderPlaced event) {
		}

	}

	static class WrongOrder {

		@OutboxListener(initialDelay = "2s", maxDelay = "1s")
		void on(OrderPlaced event) {
		}

	}

	static class NoAttempts {

		@OutboxListener(maxAttempts = 0)
		void on(OrderPlaced event) {
		}

	}

	static class Shrinking {

		@OutboxListener(multiplier = 0.5)
		void on(OrderPlaced event) {
		}

	}

	static class EmptyBatch {

		@OutboxListener(batchSize = 0)
		void on(List<OrderPlaced> event) {
		}

	}

	static class BadId {

		@OutboxListener(id = "not plain")
		void on(OrderPlaced event) {
		}

	}

	static class EmptyEventType {

		@OutboxListener("")
		void on(OrderPlaced event) {
		}

	}

	static class LongAggregateType {

		@OutboxListener(aggregateType = "12345678901234567890123456789012345678901234567890123456789012345")
		void on(OrderPlaced event) {
		}

	}

	static class Unresolved {

		@OutboxListener("${no.such.property}")
		void on(OrderPlaced event) {
		}

	}

}
