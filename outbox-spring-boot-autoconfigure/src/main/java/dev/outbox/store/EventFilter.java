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
 * @param createdFrom the earliest time of writing
 * @param createdBefore the time of writing that is too late already
 */
public record EventFilter(@Nullable String eventType, @Nullable String aggregateType, @Nullable String aggregateId,
		@Nullable String key, @Nullable String tenantId, @Nullable String errorContains, @Nullable Instant createdFrom,
		@Nullable Instant createdBefore) {

	/**
	 * The filter that lets everything through.
	 */
	public static final EventFilter NONE = new EventFilter(null, null, null, null, null, null, null, null);

	/**
	 * Return a filter for one event type.
	 * @param eventType the event type
	 * @return the filter
	 */
	public static EventFilter ofType(String eventType) {
		return new EventFilter(eventType, null, null, null, null, null, null, null);
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
		if (this.createdFrom != null) {
			conditions.append(" AND created_at >= :createdFrom");
			parameters.addValue("createdFrom", EventTable.micros(this.createdFrom));
		}
		if (this.createdBefore != null) {
			conditions.append(" AND created_at < :createdBefore");
			parameters.addValue("createdBefore", EventTable.micros(this.createdBefore));
		}
		return conditions.toString();
	}

	private static void equal(StringBuilder conditions, MapSqlParameterSource parameters, String column,
			@Nullable String value) {
		if (value != null) {
			conditions.append(" AND ").append(column).append(" = :").append(column);
			parameters.addValue(column, value);
		}
	}

}
