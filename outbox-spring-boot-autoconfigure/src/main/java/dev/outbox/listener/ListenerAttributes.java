package dev.outbox.listener;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import dev.outbox.AggregateType;
import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.OutboxListener;
import dev.outbox.serialize.EventDescriptor;
import dev.outbox.serialize.EventTypes;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.StringValueResolver;

/**
 * What the annotation of a listener method says, with placeholders resolved and checked
 * against the method's signature.
 */
final class ListenerAttributes {

	private final ListenerMethod method;

	private final OutboxListener annotation;

	private final StringValueResolver placeholders;

	ListenerAttributes(ListenerMethod method, OutboxListener annotation, StringValueResolver placeholders) {
		this.method = method;
		this.annotation = annotation;
		this.placeholders = placeholders;
	}

	String outbox() {
		return text("outbox", this.annotation.outbox());
	}

	@Nullable String id() {
		String id = text("id", this.annotation.id());
		return id.isEmpty() ? null : valid(() -> ListenerId.check(id));
	}

	Set<Subscription> subscriptions(EventTypes types) {
		EventDescriptor descriptor = types.describe(this.method.eventClass());
		String[] named = this.annotation.eventType();
		if (named.length == 0 && descriptor == null) {
			throw this.method.invalid("it does not say which events it wants", whichEvents());
		}
		String aggregateText = text("aggregateType", this.annotation.aggregateType());
		String aggregateType = aggregateText.isEmpty() ? null : valid(() -> AggregateType.of(aggregateText).name());
		Set<Subscription> subscriptions = new LinkedHashSet<>();
		for (String name : named) {
			String eventType = text("eventType", name);
			subscriptions.add(new Subscription(aggregateType, valid(() -> EventType.of(eventType).name())));
		}
		if (descriptor != null && named.length == 0) {
			subscriptions.add(new Subscription(aggregateType, descriptor.eventType()));
		}
		return subscriptions;
	}

	private String whichEvents() {
		String name = this.method.eventClass().getName();
		String byName = "ame the events: @OutboxListener(\"OrderPlaced\").";
		return (name.startsWith("java.") || name.startsWith("[") || this.method.eventClass() == EventEnvelope.class)
				? "N" + byName : "Put @OutboxEvent on " + name + ", or n" + byName;
	}

	ListenerSettings settings() {
		if (this.annotation.transactional() && this.method.isAsync()) {
			throw this.method.invalid("it is transactional but goes on after it has returned",
					"Let it return void or a DispatchResult, or remove 'transactional'.");
		}
		Duration batchWait = duration("batchWait", this.annotation.batchWait());
		ListenerSettings settings = valid(() -> new ListenerSettings(
				(this.annotation.maxAttempts() != -1) ? this.annotation.maxAttempts() : null,
				duration("initialDelay", this.annotation.initialDelay()),
				duration("maxDelay", this.annotation.maxDelay()),
				(this.annotation.multiplier() != -1) ? this.annotation.multiplier() : null,
				List.of(this.annotation.noRetryFor()), this.annotation.transactional(), this.annotation.batchSize(),
				(batchWait != null) ? batchWait : Duration.ZERO, this.annotation.maxInFlight()));
		refuseUnused(settings);
		return settings;
	}

	private void refuseUnused(ListenerSettings settings) {
		ListenerSettings defaults = ListenerSettings.DEFAULTS;
		if (!this.method.isBatch() && (settings.batchSize() != defaults.batchSize()
				|| !settings.batchWait().equals(defaults.batchWait()))) {
			throw this.method.invalid("batchSize and batchWait are for lists of events, but it takes one event",
					"Let it take a List of events, or remove batchSize and batchWait.");
		}
		if (!this.method.isAsync() && settings.maxInFlight() != defaults.maxInFlight()) {
			throw this.method.invalid("maxInFlight is for methods that go on after they have returned",
					"Let it return a CompletionStage, or remove maxInFlight.");
		}
	}

	private @Nullable Duration duration(String attribute, String value) {
		String text = text(attribute, value);
		return text.isEmpty() ? null : valid(() -> DurationStyle.detectAndParse(text));
	}

	private String text(String attribute, String value) {
		String resolved = valid(() -> this.placeholders.resolveStringValue(value));
		if (resolved == null) {
			return "";
		}
		if (resolved.contains("${")) {
			throw this.method.invalid("%s = \"%s\" cannot be resolved".formatted(attribute, value),
					"Set the property that the placeholder names.");
		}
		return resolved.trim();
	}

	private <T extends @Nullable Object> T valid(Value<T> value) {
		try {
			return value.get();
		}
		catch (InvalidListenerException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw this.method.invalid(String.valueOf(ex.getMessage()), "Correct the annotation's attributes.");
		}
	}

	/**
	 * A value that may turn out to be wrong.
	 */
	@FunctionalInterface
	private interface Value<T extends @Nullable Object> {

		T get();

	}

}
