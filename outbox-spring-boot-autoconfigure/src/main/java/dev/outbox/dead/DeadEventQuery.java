package dev.outbox.dead;

import java.time.Instant;

import dev.outbox.store.EventFilter;
import org.jspecify.annotations.Nullable;

/**
 * Which dead events an operator is interested in. What is {@code null} does not matter.
 *
 * @param eventType the event type
 * @param aggregateType the aggregate type
 * @param listener the listener at which it failed last
 * @param tenantId the tenant
 * @param errorContains text that the last error contains
 * @param diedFrom the earliest time of death
 * @param diedBefore the time of death that is too late already
 * @param createdFrom the earliest time of writing
 * @param createdBefore the time of writing that is too late already
 * @param all whether every dead event is meant if there is no condition
 * @param cursor where a page begins: what the page before it said
 * @param limit how many events a page has at most
 */
public record DeadEventQuery(@Nullable String eventType, @Nullable String aggregateType, @Nullable String listener,
		@Nullable String tenantId, @Nullable String errorContains, @Nullable Instant diedFrom,
		@Nullable Instant diedBefore, @Nullable Instant createdFrom, @Nullable Instant createdBefore, boolean all,
		@Nullable String cursor, int limit) {

	private static final int DEFAULT_LIMIT = 50;

	private static final int MAX_LIMIT = 500;

	public DeadEventQuery {
		if (limit < 1 || limit > MAX_LIMIT) {
			throw new IllegalArgumentException(
					"The limit of a page must be between 1 and %d, but is %d".formatted(MAX_LIMIT, limit));
		}
	}

	/**
	 * Start with a query without conditions.
	 * @return a builder
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Return a query for every dead event.
	 * @return the query
	 */
	public static DeadEventQuery ofAll() {
		return builder().all().build();
	}

	EventFilter filter() {
		return filter(this.diedBefore);
	}

	EventFilter filter(@Nullable Instant newDiedBefore) {
		return EventFilter.builder()
			.eventType(this.eventType)
			.aggregateType(this.aggregateType)
			.failedListener(this.listener)
			.tenantId(this.tenantId)
			.errorContains(this.errorContains)
			.availableFrom(this.diedFrom)
			.availableBefore(newDiedBefore)
			.createdFrom(this.createdFrom)
			.createdBefore(this.createdBefore)
			.build();
	}

	/**
	 * Collects the conditions of a query.
	 */
	public static final class Builder {

		private @Nullable String eventType;

		private @Nullable String aggregateType;

		private @Nullable String listener;

		private @Nullable String tenantId;

		private @Nullable String errorContains;

		private @Nullable Instant diedFrom;

		private @Nullable Instant diedBefore;

		private @Nullable Instant createdFrom;

		private @Nullable Instant createdBefore;

		private boolean all;

		private @Nullable String cursor;

		private int limit = DEFAULT_LIMIT;

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
		 * Look for events that failed last at one listener.
		 * @param listener the listener's id, or {@code null}
		 * @return this builder
		 */
		public Builder listener(@Nullable String listener) {
			this.listener = listener;
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
		 * Look for a first time of death.
		 * @param diedFrom the earliest time, or {@code null}
		 * @return this builder
		 */
		public Builder diedFrom(@Nullable Instant diedFrom) {
			this.diedFrom = diedFrom;
			return this;
		}

		/**
		 * Look for an end of the time of death.
		 * @param diedBefore the time that is too late already, or {@code null}
		 * @return this builder
		 */
		public Builder diedBefore(@Nullable Instant diedBefore) {
			this.diedBefore = diedBefore;
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
		 * Look at the page after another.
		 * @param cursor what that page said, or {@code null}
		 * @return this builder
		 */
		public Builder cursor(@Nullable String cursor) {
			this.cursor = cursor;
			return this;
		}

		/**
		 * Say that every dead event is meant if there is no condition.
		 * @return this builder
		 */
		public Builder all() {
			this.all = true;
			return this;
		}

		/**
		 * Limit a page.
		 * @param limit how many events it has at most
		 * @return this builder
		 */
		public Builder limit(int limit) {
			this.limit = limit;
			return this;
		}

		/**
		 * Return the query.
		 * @return the query
		 */
		public DeadEventQuery build() {
			return new DeadEventQuery(this.eventType, this.aggregateType, this.listener, this.tenantId,
					this.errorContains, this.diedFrom, this.diedBefore, this.createdFrom, this.createdBefore, this.all,
					this.cursor, this.limit);
		}

	}

}
