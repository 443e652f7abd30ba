package dev.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link EventInterceptor} and what listeners answer.
 */
class EventInterceptorTests {

	private final EventEnvelope event = EventEnvelope.ofJson("OrderPlaced", "{}");

	private final List<Object> seen = new ArrayList<>();

	@Test
	void interceptorBeforeIsCalledBeforeOnly() throws Exception {
		EventInterceptor interceptor = EventInterceptor.before(this.seen::add);
		interceptor.afterDispatch(this.event, null);
		assertThat(this.seen).isEmpty();
		interceptor.beforeDispatch(this.event);
		assertThat(this.seen).containsExactly(this.event);
	}

	@Test
	void interceptorAfterIsCalledAfterOnly() throws Exception {
		Error error = new AssertionError();
		EventInterceptor interceptor = EventInterceptor
			.after((event, thrown) -> this.seen.addAll(List.of(event, thrown)));
		interceptor.beforeDispatch(this.event);
		assertThat(this.seen).isEmpty();
		interceptor.afterDispatch(this.event, error);
		assertThat(this.seen).containsExactly(this.event, error);
	}

	@Test
	void negativeDelaysAreRefused() {
		Duration negative = Duration.ofMillis(-1);
		assertThatIllegalArgumentException().isThrownBy(() -> DispatchResult.retryAfter(negative));
		assertThatIllegalArgumentException().isThrownBy(() -> new RetryAfterException(negative));
		assertThat(new RetryAfterException(Duration.ZERO).delay()).isZero();
	}

}
