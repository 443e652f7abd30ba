package dev.outbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;

/**
 * Marks a method of a bean that is called with events after the transaction that wrote
 * them committed. If it throws, the event is delivered again later.
 *
 * <pre class="code">
 * &#064;OutboxListener
 * void on(OrderPlaced event) {
 * }</pre>
 * <p>
 * The first parameter is the event: an object of a class with {@link OutboxEvent}, or,
 * where {@link #eventType()} says which events are meant, an object of any class, a
 * {@code String} or {@code byte[]} with the payload as it is, or an
 * {@link EventEnvelope}. A {@code List} of one of these takes many events with one call.
 * Further parameters may be the {@code EventEnvelope} (a list of them for a list of
 * events), and for a single event the headers as {@code Map<String, String>} and the
 * number of the attempt as {@code int}.
 * <p>
 * The method returns nothing, a {@link DispatchResult}, or a {@code CompletionStage}:
 * then the event is delivered when the stage completes. Texts may contain
 * <code>${...}</code> placeholders. May be used on other annotations.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
public @interface OutboxListener {

	/**
	 * The event types to listen to. Alias for {@link #eventType()}.
	 * @return the names, by default that of the event parameter's class
	 */
	@AliasFor("eventType")
	String[] value() default {};

	/**
	 * The event types to listen to.
	 * @return the names, by default that of the event parameter's class
	 */
	@AliasFor("value")
	String[] eventType() default {};

	/**
	 * The aggregate type to listen to. Where a listener names the aggregate type of an
	 * event, listeners that name none do not get it.
	 * @return the name, by default any
	 */
	String aggregateType() default "";

	/**
	 * The name under which the outbox remembers what this listener has done. Several
	 * listeners may take the same events if each has an id of its own, and then the id
	 * must stay as long as there are such events.
	 * @return letters, digits and {@code . _ - $ :}, at most 100 of them; by default made
	 * from the names of bean and method
	 */
	String id() default "";

	/**
	 * How often to try before an event is given up.
	 * @return the number of attempts, by default that of the outbox
	 */
	int maxAttempts() default -1;

	/**
	 * How long to wait after the first failure.
	 * @return a duration such as {@code 200ms}, by default that of the outbox
	 */
	String initialDelay() default "";

	/**
	 * How long to wait between attempts at most.
	 * @return a duration such as {@code 1m}, by default that of the outbox
	 */
	String maxDelay() default "";

	/**
	 * By how much each wait is longer than the one before.
	 * @return the factor, at least 1, by default that of the outbox
	 */
	double multiplier() default -1;

	/**
	 * Exceptions after which there is no point in trying again.
	 * @return the classes, subclasses included
	 */
	Class<? extends Throwable>[] noRetryFor() default {};

	/**
	 * Whether to call the method in a transaction that also marks the event as done, so
	 * that what it does in the same database happens exactly once.
	 * @return whether to open a transaction
	 */
	boolean transactional() default false;

	/**
	 * How many events to deliver with one call. Only for a list of events.
	 * @return the number of events at most
	 */
	int batchSize() default 100;

	/**
	 * How long to wait for a batch to fill. Only for a list of events.
	 * @return a duration such as {@code 50ms}, by default none
	 */
	String batchWait() default "0ms";

	/**
	 * How many calls may be under way at the same time. Only for methods that return a
	 * {@code CompletionStage}.
	 * @return the number of calls at most
	 */
	int maxInFlight() default 256;

	/**
	 * The outbox whose events to listen to.
	 * @return its name, by default the auto-configured one
	 */
	String outbox() default "";

}
