package dev.outbox.listener;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import dev.outbox.DispatchResult;
import dev.outbox.EventEnvelope;
import dev.outbox.EventsFailedException;
import dev.outbox.OutboxListener;
import dev.outbox.RetryAfterException;
import dev.outbox.serialize.EventSerializationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;

import static dev.outbox.listener.ListenerFixture.call;
import static dev.outbox.listener.ListenerFixture.cause;
import static dev.outbox.listener.ListenerFixture.deliveries;
import static dev.outbox.listener.ListenerFixture.done;
import static dev.outbox.listener.ListenerFixture.only;
import static dev.outbox.listener.ListenerFixture.placed;
import static dev.outbox.listener.ListenerFixture.unreadable;
import static dev.outbox.listener.ListenerFixture.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link MethodEndpoint}: what a method is called with, and what becomes of
 * what it returns or throws.
 */
class MethodEndpointTests {

	private static final List<Object> seen = new ArrayList<>();

	private static @Nullable Throwable toThrow;

	private static @Nullable Object toReturn;

	@BeforeEach
	void forget() {
		seen.clear();
		toThrow = null;
		toReturn = null;
	}

	@Test
	void methodGetsTheEventAsAnObjectOfItsParametersClass() {
		with(Single.class, (context) -> {
			assertThat(call(context, placed("1"))).containsExactly(done());
			assertThat(seen).containsExactly(new OrderPlaced("1"));
			assertThat(only(context).isBatch()).isFalse();
		});
	}

	@Test
	void methodGetsEverythingElseInAnyOrder() {
		with(Everything.class, (context) -> {
			EventEnvelope event = placed("1");
			assertThat(call(context, event)).containsExactly(done());
			assertThat(seen).containsExactly(new OrderPlaced("1"), 3, Map.of("who", "me"), event);
		});
	}

	@Test
	void methodGetsTheEnvelope() {
		with(Envelope.class, (context) -> {
			EventEnvelope event = placed("1");
			assertThat(call(context, event)).containsExactly(done());
			assertThat(seen).containsExactly(event, 3);
		});
	}

	@Test
	void methodGetsAnyClassIfTheEventTypeIsNamed() {
		with(AnyClass.class, (context) -> {
			call(context, placed("1"));
			assertThat(seen).containsExactly(Map.of("orderId", "1"));
		});
	}

	@Test
	void methodGetsTheTextOfThePayload() {
		with(Text.class, (context) -> {
			call(context, placed("1").toBuilder().payloadJson("no JSON, ä").build());
			call(context, bytes("bytes, ä".getBytes(StandardCharsets.UTF_8)));
			assertThat(seen).containsExactly("no JSON, ä", "bytes, ä");
		});
	}

	@Test
	void binaryPayloadThatIsNoTextIsUnreadableAsText() {
		with(Text.class, (context) -> {
			assertThat(cause(call(context, bytes(new byte[] { (byte) 0xff })).get(0)))
				.isInstanceOf(EventSerializationException.class);
			assertThat(seen).isEmpty();
		});
	}

	@Test
	void methodGetsTheBytesOfThePayload() {
		with(Bytes.class, (context) -> {
			call(context, bytes(new byte[] { 0, (byte) 0xff }));
			call(context, placed("1").toBuilder().payloadJson("ä").build());
			assertThat(seen).containsExactly(new byte[] { 0, (byte) 0xff }, "ä".getBytes(StandardCharsets.UTF_8));
		});
	}

	@Test
	void unreadablePayloadFailsWithoutCallingTheMethod() {
		with(Single.class, (context) -> {
			assertThat(cause(call(context, unreadable("1")).get(0))).isInstanceOf(EventSerializationException.class);
			assertThat(seen).isEmpty();
		});
	}

	@Test
	void singleMethodTakesOneEventAtATime() {
		with(Single.class, (context) -> assertThatIllegalArgumentException()
			.isThrownBy(() -> only(context).call(deliveries(placed("1"), placed("2")))));
	}

	static List<Throwable> whatListenersThrow() {
		return List.of(new IllegalStateException("x"), new IOException("x"), new InterruptedException(),
				new OutOfMemoryError("x"), new StackOverflowError(), new NoClassDefFoundError("x"),
				new AssertionError("x"), new Throwable("x"));
	}

	@ParameterizedTest
	@MethodSource("whatListenersThrow")
	void whateverAMethodThrowsIsTheCauseOfItsFailure(Throwable thrown) {
		toThrow = thrown;
		with(Single.class, (context) -> assertThat(cause(call(context, placed("1")).get(0))).isSameAs(thrown));
		with(Batch.class,
				(context) -> assertThat(call(context, placed("1"), placed("2")))
					.allSatisfy((result) -> assertThat(cause(result)).isSameAs(thrown))
					.hasSize(2));
		with(Async.class, (context) -> assertThat(cause(call(context, placed("1")).get(0))).isSameAs(thrown));
	}

	@Test
	void wrappersAreTakenOffWhatWasThrown() {
		IOException cause = new IOException("x");
		toThrow = new CompletionException(new CompletionException(cause));
		with(Single.class, (context) -> assertThat(cause(call(context, placed("1")).get(0))).isSameAs(cause));
	}

	@Test
	void wrapperWithoutContentStays() {
		toThrow = new CompletionException((Throwable) null);
		with(Single.class, (context) -> assertThat(cause(call(context, placed("1")).get(0))).isSameAs(toThrow));
	}

	@Test
	void methodDefersByThrowing() {
		toThrow = new RetryAfterException(Duration.ofSeconds(7));
		with(Single.class, (context) -> assertThat(call(context, placed("1"))).containsExactly(later(7)));
		with(Batch.class,
				(context) -> assertThat(call(context, placed("1"), placed("2"))).containsExactly(later(7), later(7)));
	}

	@Test
	void methodAnswersWithAResult() {
		with(Answering.class, (context) -> {
			toReturn = DispatchResult.done();
			assertThat(call(context, placed("1"))).containsExactly(done());
			toReturn = DispatchResult.retryAfter(Duration.ofSeconds(7));
			assertThat(call(context, placed("1"))).containsExactly(later(7));
		});
	}

	@Test
	void missingResultIsAFailure() {
		with(Answering.class,
				(context) -> assertThat(cause(call(context, placed("1")).get(0)))
					.hasMessageContaining("returned null instead of a DispatchResult")
					.hasMessageContaining("Answering.on(OrderPlaced)"));
	}

	@Test
	void batchMethodGetsAllEvents() {
		with(Batch.class, (context) -> {
			EventEnvelope first = placed("1");
			EventEnvelope second = placed("2");
			assertThat(call(context, first, second)).containsExactly(done(), done());
			assertThat(seen).containsExactly(List.of(new OrderPlaced("1"), new OrderPlaced("2")),
					List.of(first, second));
			assertThat(only(context).isBatch()).isTrue();
		});
	}

	@Test
	void batchMethodGetsEnvelopes() {
		with(EnvelopeBatch.class, (context) -> {
			EventEnvelope first = placed("1");
			EventEnvelope second = unreadable("2");
			assertThat(call(context, first, second)).containsExactly(done(), done());
			assertThat(seen).containsExactly(List.of(first, second));
		});
	}

	@Test
	void batchMethodAnswersForAllEvents() {
		toReturn = DispatchResult.retryAfter(Duration.ofSeconds(7));
		with(AnsweringBatch.class,
				(context) -> assertThat(call(context, placed("1"), placed("2"))).containsExactly(later(7), later(7)));
	}

	@Test
	void batchWithoutEventsIsNoCall() {
		with(Batch.class, (context) -> {
			assertThat(call(context)).isEmpty();
			assertThat(seen).isEmpty();
		});
	}

	@Test
	void batchMethodNamesTheEventsThatFailed() {
		IOException cause = new IOException("x");
		toThrow = new EventsFailedException(List.of("2"), cause);
		with(Batch.class, (context) -> {
			List<DeliveryResult> results = call(context, placed("1"), placed("2"), placed("3"));
			assertThat(results).containsExactly(done(), new DeliveryResult.Failed(cause), done());
		});
	}

	@Test
	void eventsThatFailedWithoutCauseFailWithTheExceptionItself() {
		toThrow = new EventsFailedException(List.of("2"), null);
		with(Batch.class, (context) -> assertThat(call(context, placed("1"), placed("2"))).containsExactly(done(),
				new DeliveryResult.Failed(toThrow)));
	}

	@Test
	void eventsThatFailedMayBeDeferred() {
		toThrow = new EventsFailedException(List.of("1"), new RetryAfterException(Duration.ofSeconds(7)));
		with(Batch.class,
				(context) -> assertThat(call(context, placed("1"), placed("2"))).containsExactly(later(7), done()));
	}

	@Test
	void allEventsFailIfItIsNotClearWhichOnesDid() {
		IOException cause = new IOException("x");
		DeliveryResult failed = new DeliveryResult.Failed(cause);
		with(Batch.class, (context) -> {
			toThrow = new EventsFailedException(List.of("1", "strange"), cause);
			assertThat(call(context, placed("1"), placed("2"))).containsExactly(failed, failed);
			toThrow = new EventsFailedException(List.of(), cause);
			assertThat(call(context, placed("1"), placed("2"))).containsExactly(failed, failed);
		});
	}

	@Test
	void singleEventFailsWhicheverEventsAreNamed() {
		IOException cause = new IOException("x");
		toThrow = new EventsFailedException(List.of("strange"), cause);
		with(Single.class,
				(context) -> assertThat(call(context, placed("1"))).containsExactly(new DeliveryResult.Failed(cause)));
	}

	@Test
	void batchMethodIsCalledWithWhatIsReadable() {
		IOException cause = new IOException("x");
		toThrow = new EventsFailedException(List.of("4"), cause);
		with(Batch.class, (context) -> {
			EventEnvelope second = placed("2");
			EventEnvelope fourth = placed("4");
			List<DeliveryResult> results = call(context, unreadable("1"), second, unreadable("3"), fourth);
			assertThat(results).hasSize(4);
			assertThat(cause(results.get(0))).isInstanceOf(EventSerializationException.class);
			assertThat(results.get(1)).isEqualTo(done());
			assertThat(cause(results.get(2))).isInstanceOf(EventSerializationException.class);
			assertThat(cause(results.get(3))).isSameAs(cause);
			assertThat(seen).containsExactly(List.of(new OrderPlaced("2"), new OrderPlaced("4")),
					List.of(second, fourth));
		});
	}

	@Test
	void batchMethodIsNotCalledIfNothingIsReadable() {
		with(Batch.class, (context) -> {
			assertThat(call(context, unreadable("1"), unreadable("2"))).hasSize(2)
				.allSatisfy((result) -> assertThat(cause(result)).isInstanceOf(EventSerializationException.class));
			assertThat(seen).isEmpty();
		});
	}

	@Test
	void asynchronousMethodIsDoneWhenItsStageCompletes() {
		with(Async.class, (context) -> {
			CompletableFuture<Object> future = new CompletableFuture<>();
			toReturn = future;
			CompletableFuture<List<DeliveryResult>> results = start(context, placed("1"));
			assertThat(results).isNotDone();
			future.complete(null);
			assertThat(results).isCompletedWithValue(List.of(done()));
		});
	}

	@Test
	void asynchronousMethodMayAnswerAnything() {
		with(Async.class, (context) -> {
			toReturn = CompletableFuture.completedFuture("anything");
			assertThat(call(context, placed("1"))).containsExactly(done());
			toReturn = CompletableFuture.completedFuture(DispatchResult.retryAfter(Duration.ofSeconds(7)));
			assertThat(call(context, placed("1"))).containsExactly(later(7));
		});
	}

	@Test
	void asynchronousMethodFailsWhenItsStageDoes() {
		with(Async.class, (context) -> {
			IOException cause = new IOException("x");
			CompletableFuture<Object> future = new CompletableFuture<>();
			toReturn = future.thenApply((value) -> value);
			CompletableFuture<List<DeliveryResult>> results = start(context, placed("1"));
			future.completeExceptionally(cause);
			assertThat(results).isCompletedWithValue(List.of(new DeliveryResult.Failed(cause)));
			toReturn = CompletableFuture.failedFuture(new RetryAfterException(Duration.ofSeconds(7)));
			assertThat(call(context, placed("1"))).containsExactly(later(7));
		});
	}

	@Test
	void cancelledStageIsAFailure() {
		with(Async.class, (context) -> {
			CompletableFuture<Object> future = new CompletableFuture<>();
			toReturn = future;
			CompletableFuture<List<DeliveryResult>> results = start(context, placed("1"));
			future.cancel(true);
			assertThat(cause(results.getNow(List.of()).get(0))).isInstanceOf(CancellationException.class);
		});
	}

	@Test
	void missingStageIsAFailure() {
		with(Async.class, (context) -> assertThat(cause(call(context, placed("1")).get(0)))
			.hasMessageContaining("returned null instead of a CompletionStage"));
	}

	@Test
	void missingResultOfAStageIsAFailureIfItWasPromised() {
		with(AsyncAnswering.class, (context) -> {
			toReturn = CompletableFuture.completedFuture(null);
			assertThat(cause(call(context, placed("1")).get(0)))
				.hasMessageContaining("returned null instead of a DispatchResult");
			toReturn = CompletableFuture.completedFuture(DispatchResult.done());
			assertThat(call(context, placed("1"))).containsExactly(done());
		});
	}

	@Test
	void asynchronousBatchNamesTheEventsThatFailed() {
		with(AsyncBatch.class, (context) -> {
			IOException cause = new IOException("x");
			CompletableFuture<Object> future = new CompletableFuture<>();
			toReturn = future;
			CompletableFuture<List<DeliveryResult>> results = start(context, placed("1"), unreadable("2"), placed("3"));
			assertThat(results).isNotDone();
			future.completeExceptionally(new EventsFailedException(List.of("1"), cause));
			assertThat(results.getNow(List.of())).hasSize(3).first().isEqualTo(new DeliveryResult.Failed(cause));
			assertThat(cause(results.getNow(List.of()).get(1))).isInstanceOf(EventSerializationException.class);
			assertThat(results.getNow(List.of())).last().isEqualTo(done());
		});
	}

	private static CompletableFuture<List<DeliveryResult>> start(AssertableApplicationContext context,
			EventEnvelope... events) {
		return only(context).call(deliveries(events)).toCompletableFuture();
	}

	private static EventEnvelope bytes(byte[] bytes) {
		return EventEnvelope.builder("OrderPlaced").payloadBytes(bytes).build();
	}

	private static DeliveryResult later(int seconds) {
		return new DeliveryResult.RetryAfter(Duration.ofSeconds(seconds));
	}

	private static void see(Object... arguments) throws Throwable {
		seen.addAll(List.of(arguments));
		if (toThrow != null) {
			throw toThrow;
		}
	}

	static class Single {

		@OutboxListener
		void on(OrderPlaced event) throws Throwable {
			see(event);
		}

	}

	static class Everything {

		@OutboxListener
		void on(OrderPlaced event, Integer attempt, Map<String, String> headers, EventEnvelope envelope)
				throws Throwable {
			see(event, attempt, headers, envelope);
		}

	}

	static class Envelope {

		@OutboxListener("OrderPlaced")
		void on(EventEnvelope event, int attempt) throws Throwable {
			see(event, attempt);
		}

	}

	static class AnyClass {

		@OutboxListener("OrderPlaced")
		void on(Map<String, Object> event) throws Throwable {
			see(event);
		}

	}

	static class Text {

		@OutboxListener("OrderPlaced")
		void on(String payload) throws Throwable {
			see(payload);
		}

	}

	static class Bytes {

		@OutboxListener("OrderPlaced")
		void on(byte[] payload) throws Throwable {
			see(payload);
		}

	}

	static class Answering {

		@OutboxListener
		@Nullable DispatchResult on(OrderPlaced event) throws Throwable {
			see(event);
			return (DispatchResult) toReturn;
		}

	}

	static class Batch {

		@OutboxListener
		void on(List<OrderPlaced> events, List<EventEnvelope> envelopes) throws Throwable {
			see(events, envelopes);
		}

	}

	static class EnvelopeBatch {

		@OutboxListener("OrderPlaced")
		void on(List<EventEnvelope> events) throws Throwable {
			see(events);
		}

	}

	static class AnsweringBatch {

		@OutboxListener
		@Nullable DispatchResult on(List<OrderPlaced> events) throws Throwable {
			see(events);
			return (DispatchResult) toReturn;
		}

	}

	static class Async {

		@OutboxListener
		@Nullable CompletionStage<?> on(OrderPlaced event) throws Throwable {
			see(event);
			return (CompletionStage<?>) toReturn;
		}

	}

	static class AsyncAnswering {

		@OutboxListener
		@SuppressWarnings("unchecked")
		@Nullable CompletableFuture<DispatchResult> on(OrderPlaced event) throws Throwable {
			see(event);
			return (CompletableFuture<DispatchResult>) toReturn;
		}

	}

	static class AsyncBatch {

		@OutboxListener
		@Nullable CompletionStage<?> on(List<OrderPlaced> events) throws Throwable {
			see(events);
			return (CompletionStage<?>) toReturn;
		}

	}

}
