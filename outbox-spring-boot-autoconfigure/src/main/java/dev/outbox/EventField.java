package dev.outbox;

import org.jspecify.annotations.Nullable;

/**
 * The text fields of an event that have a column of their own, and what such a column can
 * hold on every supported database: a bounded number of characters, no control
 * characters, no unpaired surrogates. Messages name the field and never show its value.
 */
enum EventField {

	EVENT_ID("eventId", 36), EVENT_TYPE("eventType", 128), AGGREGATE_TYPE("aggregateType", 64),
	AGGREGATE_ID("aggregateId", 128), KEY("key", 128), TENANT_ID("tenantId", 64);

	private final String label;

	private final int maxLength;

	EventField(String label, int maxLength) {
		this.label = label;
		this.maxLength = maxLength;
	}

	String check(@Nullable String value) {
		if (value == null || value.isEmpty()) {
			throw new InvalidEventException(this.label, "must not be empty");
		}
		if (value.length() > this.maxLength) {
			throw new InvalidEventException(this.label,
					"has " + value.length() + " characters, the limit is " + this.maxLength);
		}
		StorableText.check(this.label, value, StorableText.Rule.NO_CONTROL_CHARACTERS);
		return value;
	}

	@Nullable String checkIfPresent(@Nullable String value) {
		return (value != null) ? check(value) : null;
	}

}
