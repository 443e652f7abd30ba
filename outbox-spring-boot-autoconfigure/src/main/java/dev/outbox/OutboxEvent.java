package dev.outbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;

/**
 * Marks a class whose objects are events: {@link OutboxWriter#write(Object)} takes them,
 * and so does Spring's {@code ApplicationEventPublisher}. What is stored is the logical
 * name, never the class name, so the class may be renamed or moved as long as its name
 * here stays.
 *
 * <pre class="code">
 * &#064;OutboxEvent(aggregateType = "Order", aggregateId = "orderId")
 * record OrderPlaced(String orderId, BigDecimal total) {
 * }</pre>
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface OutboxEvent {

	/**
	 * The logical name of the event type. Alias for {@link #type()}.
	 * @return the name, by default the simple name of the class
	 */
	@AliasFor("type")
	String value() default "";

	/**
	 * The logical name of the event type.
	 * @return the name, by default the simple name of the class
	 */
	@AliasFor("value")
	String type() default "";

	/**
	 * The aggregate type of these events.
	 * @return the name, by default that of {@link AggregateType#GLOBAL}
	 */
	String aggregateType() default "";

	/**
	 * The property that holds the aggregate id: a record component, a getter or a field,
	 * or a path of them such as {@code order.id}.
	 * @return the path, by default none
	 */
	String aggregateId() default "";

	/**
	 * The property that holds the ordering key, as for {@link #aggregateId()}.
	 * @return the path, by default that of the aggregate id
	 */
	String key() default "";

}
