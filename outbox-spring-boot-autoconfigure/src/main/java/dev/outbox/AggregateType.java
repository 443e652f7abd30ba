package dev.outbox;

/**
 * Logical name of the kind of thing an event is about. An enum may implement this
 * interface as it is.
 */
public interface AggregateType {

	/**
	 * The aggregate type of events that name none.
	 */
	AggregateType GLOBAL = new NamedAggregateType("__GLOBAL__");

	/**
	 * Return the stored name, for example {@code Order}.
	 * @return the name, at most 64 characters
	 */
	String name();

	/**
	 * Return an aggregate type for a name that is only known at run time.
	 * @param name the stored name
	 * @return the aggregate type
	 */
	static AggregateType of(String name) {
		return new NamedAggregateType(EventField.AGGREGATE_TYPE.check(name));
	}

}
