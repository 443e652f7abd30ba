package dev.outbox.retry;

import java.util.Collection;
import java.util.Set;

/**
 * Tells failures that may come from what a listener depends on from those that come from
 * the event. Only the former can pause a listener. A bean of this type replaces the
 * standard one.
 */
@FunctionalInterface
public interface OutageClassifier {

	/**
	 * Return whether other events would probably fail at this moment, too.
	 * @param failure why a delivery failed
	 * @return whether the failure may be part of an outage
	 */
	boolean mayBeOutage(Throwable failure);

	/**
	 * Return a classifier for which the given types, too, are no outage, for example
	 * those that a listener does not want to be retried.
	 * @param types the types of exceptions, looked for among the causes as well
	 * @return the classifier
	 */
	default OutageClassifier except(Collection<? extends Class<? extends Throwable>> types) {
		Set<Class<? extends Throwable>> excluded = Set.copyOf(types);
		return (failure) -> !Causes.contain(failure, excluded) && mayBeOutage(failure);
	}

	/**
	 * Return the classifier for which everything may be an outage, unless the event could
	 * not be read.
	 * @return the classifier
	 */
	static OutageClassifier standard() {
		return new StandardOutageClassifier();
	}

}
