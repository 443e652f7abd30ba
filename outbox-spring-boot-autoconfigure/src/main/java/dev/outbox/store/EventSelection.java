package dev.outbox.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;

/**
 * Which kinds of events a node takes: all, only some, or all but some.
 */
public final class EventSelection {

	private static final EventSelection ALL = new EventSelection(true, Set.of(), Duration.ZERO);

	private final boolean othersIncluded;

	private final Set<EventRoute> routes;

	private final Duration overdue;

	private EventSelection(boolean othersIncluded, Collection<EventRoute> routes, Duration overdue) {
		this.othersIncluded = othersIncluded;
		this.routes = Set.copyOf(routes);
		this.overdue = overdue;
	}

	/**
	 * Take every event.
	 * @return the selection
	 */
	public static EventSelection all() {
		return ALL;
	}

	/**
	 * Take nothing.
	 * @return the selection
	 */
	public static EventSelection none() {
		return only(Set.of());
	}

	/**
	 * Take these kinds of events and no others.
	 * @param routes the kinds
	 * @return the selection
	 */
	public static EventSelection only(Collection<EventRoute> routes) {
		return new EventSelection(false, routes, Duration.ZERO);
	}

	/**
	 * Take every event but these kinds.
	 * @param routes the kinds
	 * @return the selection
	 */
	public static EventSelection allExcept(Collection<EventRoute> routes) {
		return new EventSelection(true, routes, Duration.ZERO);
	}

	/**
	 * Narrow the selection to events that were written and have been due long ago, and
	 * that nobody has tried to deliver.
	 * @param age how long at least, by the database's clock
	 * @return the narrower selection
	 */
	public EventSelection overdueBy(Duration age) {
		return new EventSelection(this.othersIncluded, this.routes, age);
	}

	boolean isEmpty() {
		return !this.othersIncluded && this.routes.isEmpty();
	}

	/**
	 * Add the values and return the condition, which begins with {@code AND} unless it is
	 * empty.
	 */
	String condition(MapSqlParameterSource parameters) {
		String overdueCondition = "";
		if (!this.overdue.isZero()) {
			overdueCondition = "AND status = 0 AND available_at <= {now} - :overdue AND created_at <= {now} - :overdue ";
			parameters.addValue("overdue", this.overdue.toNanos() / 1000);
		}
		return overdueCondition + routesCondition(parameters);
	}

	private String routesCondition(MapSqlParameterSource parameters) {
		if (this.routes.isEmpty()) {
			return "";
		}
		Set<String> anywhere = new TreeSet<>();
		List<String> alternatives = new ArrayList<>();
		int number = 0;
		for (EventRoute route : this.routes) {
			if (route.aggregateType() == null) {
				anywhere.add(route.eventType());
			}
			else {
				alternatives
					.add("(aggregate_type = :aggregateType%1$d AND event_type = :eventType%1$d)".formatted(number));
				parameters.addValue("aggregateType" + number, route.aggregateType());
				parameters.addValue("eventType" + number, route.eventType());
				number++;
			}
		}
		if (!anywhere.isEmpty()) {
			alternatives.add("event_type IN (:eventTypes)");
			parameters.addValue("eventTypes", anywhere);
		}
		return "AND " + (this.othersIncluded ? "NOT " : "") + "(" + String.join(" OR ", alternatives) + ")";
	}

}
