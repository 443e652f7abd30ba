package dev.outbox.store;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;

/**
 * Which events an operator is interested in. What is {@code null} does not matter.
 *
 * @param eventType the event type
 * @param aggregateType the aggregate type
 * @param aggregateId the aggregate's id
 * @param key the ordering key
 * @param tenantId the tenant
 * @param errorContains text that the last error contains
 * @param failedListener the listener whose name the last error begins with
 * @param createdFrom the earliest time of writing
 * @param createdBefore the time of writing that is too late already
 * @param availableFrom the earliest time at which it was due or finished
 * @param availableBefore the time for being due or finished that is too late already
 */
public record EventFilter(@Nullable String eventType, @Nullable String aggregateType, @Nullable String aggregateId,
		@Nullable String key, @Nullable String tenantId, @Nullable String errorContains,
		@Nullable String failedListener, @Nullable Instant createdFrom, @Nullable Instant createdBefore,
		@Nullable Instant availableFrom, @Nullable Instant availableBefore) {

	/**
	 * What stands between the listener and the exception in the text of an error.
	 */
	public static final String AFTER_LISTENER = ": ";

	/**
	 * The filter that lets everything through.
	 */
	public static final EventFilter NONE = builder().build();

	/**
	 * Return a filter for one event type.
	 * @param eventType the event type
	 * @return the filter
	 */
	public static EventFilter ofType(String eventType) {
		return builder().eventType(eventType).build();
	}

	/**
	 * Start with a filter that lets everything through.
	 * @return a builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Add the values and return the conditions, each of which begins with {@code AND}.
	 */
	String conditions(MapSqlParameterSource parameters) {
		StringBuilder conditions = new StringBuilder();
		equal(conditions, parameters, "event_type", this.eventType);
		equal(conditions, parameters, "aggregate_type", this.aggregateType);
		equal(conditions, parameters, "aggregate_id", this.aggregateId);
		equal(conditions, parameters, "event_key", this.key);
		equal(conditions, parameters, "tenant_id", this.tenantId);
		if (this.errorContains != null) {
			conditions.append(" AND {position}(last_error, :errorContains) > 0");
			parameters.addValue("errorContains", this.errorContains);
		}
		if (this.failedListener != null) {
			conditions.append(" AND {position}(last_error, :failedListener) = 1");
			parameters.addValue("failedListener", this.failedListener + AFTER_LISTENER);
		}
		range(conditions, parameters, "created_at", this.createdFrom, this.createdBefore);
		range(conditions, parameters, "available_at", this.availableFrom, this.availableBefore);
		return conditions.toString();
	}

	private static void equal(StringBuilder conditions, MapSqlParameterSource parameters, String column,
			@Nullable String value) {
		if (value != null) {
			conditions.append(" AND ").append(column).append(" = :").append(column);
			parameters.addValue(column, value);
		}
	}

	private static void range(StringBuilder conditions, MapSqlParameterSource parameters, String column,
			@Nullable Instant from, @Nullable Instant before) {
		if (from != null) {
			conditions.append(" AND %1$s >= :%1$s_from".formatted(column));
			parameters.addValue(column + "_from", EventTable.micros(from));
		}
		if (before != null) {
			conditions.append(" AND %1$s < :%1$s_before".formatted(column));
			parameters.addValue(column + "_before", EventTable.micros(before));
		}
	}

	/**
	 * Collects the conditions of a filter. What is {@code null} does not matter.
	 */
	public static final class Builder {

		private @Nullable String eventType;

		private @Nullable String aggregateType;

		private @Nullable String aggregateId;

		private @Nullable String key;

		private @Nullable String tenantId;

		private @Nullable String errorContains;

		private @Nullable String failedListener;

		private @Nullable Instant createdFrom;

		private @Nullable Instant createdBefore;

		private @Nullable Instant availableFrom;

		private @Nullable Instant availableBefore;

		private Builder() {
		}

		/**
		 * Look for one event type.
		 * @param eventType the event type, or {@code null}
		 * @return this builder
		 */
		public Builder eventType(@Nullable String eventType) {
			this.eventType = eventType;
			return this;
		}

		/**
		 * Look for one aggregate type.
		 * @param aggregateType the aggregate type, or {@code null}
		 * @return this builder
		 */
		public Builder aggregateType(@Nullable String aggregateType) {
			this.aggregateType = aggregateType;
			return this;
		}

		/**
		 * Look for one aggregate.
		 * @param aggregateId the aggregate's id, or {@code null}
		 * @return this builder
		 */
		public Builder aggregateId(@Nullable String aggregateId) {
			this.aggregateId = aggregateId;
			return this;
		}

		/**
		 * Look for one ordering key.
		 * @param key the ordering key, or {@code null}
		 * @return this builder
		 */
		public Builder key(@Nullable String key) {
			this.key = key;
			return this;
		}

		/**
		 * Look for one tenant.
		 * @param tenantId the tenant, or {@code null}
		 * @return this builder
		 */
		public Builder tenantId(@Nullable String tenantId) {
			this.tenantId = tenantId;
			return this;
		}

		/**
		 * Look for a text in the last error.
		 * @param errorContains the text, or {@code null}
		 * @return this builder
		 */
		public Builder errorContains(@Nullable String errorContains) {
			this.errorContains = errorContains;
			return this;
		}

		/**
		 * Look for the listener that failed last.
		 * @param failedListener the listener's id, or {@code null}
		 * @return this builder
		 */
		public Builder failedListener(@Nullable String failedListener) {
			this.failedListener = failedListener;
			return this;
		}

		/**
		 * Look for a first time of writing.
		 * @param createdFrom the earliest time, or {@code null}
		 * @return this builder
		 */
		public Builder createdFrom(@Nullable Instant createdFrom) {
			this.createdFrom = createdFrom;
			return this;
		}

		/**
		 * Look for an end of the time of writing.
		 * @param createdBefore the time that is too late already, or {@code null}
		 * @return this builder
		 */
		public Builder createdBefore(@Nullable Instant createdBefore) {
			this.createdBefore = createdBefore;
			return this;
		}

		/**
		 * Look for a first time of being due or finished.
		 * @param availableFrom the earliest time, or {@code null}
		 * @return this builder
		 */
		public Builder availableFrom(@Nullable Instant availableFrom) {
			this.availableFrom = availableFrom;
			return this;
		}

		/**
		 * Look for an end of the time of being due or finished.
		 * @param availableBefore the time that is too late already, or {@code null}
		 * @return this builder
		 */
		public Builder availableBefore(@Nullable Instant availableBefore) {
			this.availableBefore = availableBefore;
			return this;
		}

		/**
		 * Return the filter.
		 * @return the filter
		 */
		public EventFilter build() {
			return new EventFilter(this.eventType, this.aggregateType, this.aggregateId, this.key, this.tenantId,
					this.errorContains, this.failedListener, this.createdFrom, this.createdBefore, this.availableFrom,
					this.availableBefore);
		}

	}

}
