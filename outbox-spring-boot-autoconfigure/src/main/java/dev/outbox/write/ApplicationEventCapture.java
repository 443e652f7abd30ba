package dev.outbox.write;

import dev.outbox.OutboxWriter;
import dev.outbox.serialize.EventTypes;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;

/**
 * Writes objects annotated with {@code @OutboxEvent} that are published through Spring's
 * {@code ApplicationEventPublisher}, by the application or by Spring Data. It is a
 * listener like any other, so the event multicaster stays what it is and other listeners
 * get the object, too; it comes first, so that they run only if the event was written.
 */
final class ApplicationEventCapture implements GenericApplicationListener {

	private final ObjectProvider<OutboxWriter> writer;

	private final EventTypes types;

	ApplicationEventCapture(ObjectProvider<OutboxWriter> writer, EventTypes types) {
		this.writer = writer;
		this.types = types;
	}

	@Override
	public boolean supportsEventType(ResolvableType eventType) {
		if (!PayloadApplicationEvent.class.isAssignableFrom(eventType.toClass())) {
			return false;
		}
		Class<?> payloadType = eventType.as(PayloadApplicationEvent.class).getGeneric().resolve();
		return payloadType == null || this.types.isEvent(payloadType);
	}

	@Override
	public void onApplicationEvent(ApplicationEvent event) {
		if (event instanceof PayloadApplicationEvent<?> published
				&& this.types.isEvent(published.getPayload().getClass())) {
			this.writer.getObject().write(published.getPayload());
		}
	}

	/**
	 * An asynchronous multicaster would call it outside of the publisher's transaction.
	 */
	@Override
	public boolean supportsAsyncExecution() {
		return false;
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

}
