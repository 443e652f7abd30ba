package dev.outbox.listener;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

import dev.outbox.DispatchResult;
import dev.outbox.EventEnvelope;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * What the signature of a listener method says: which class its events have, whether it
 * takes many of them, what else it wants, and how it answers. A signature that says
 * anything else is refused.
 */
final class ListenerMethod {

	/**
	 * What a parameter is for.
	 */
	enum Parameter {

		EVENT, ENVELOPE, HEADERS, ATTEMPT

	}

	private final Class<?> type;

	private final Method method;

	private final Class<?> eventClass;

	private final boolean batch;

	private final List<Parameter> parameters = new ArrayList<>();

	private final boolean async;

	private final boolean answerRequired;

	ListenerMethod(Class<?> type, Method method) {
		this.type = ClassUtils.getUserClass(type);
		this.method = method;
		checkModifiers();
		if (method.getParameterCount() == 0) {
			throw invalid("it has no parameter",
					"Let its first parameter be the event, an EventEnvelope, or a List of either.");
		}
		ResolvableType first = parameter(0);
		this.batch = first.resolve() == List.class;
		this.eventClass = eventClass(this.batch ? first.getGeneric(0) : first);
		this.parameters.add(Parameter.EVENT);
		for (int i = 1; i < method.getParameterCount(); i++) {
			addParameter(parameter(i));
		}
		ResolvableType returned = ResolvableType.forMethodReturnType(method, type);
		this.async = CompletionStage.class.isAssignableFrom(returned.resolve(Object.class));
		this.answerRequired = DispatchResult.class.isAssignableFrom(
				(this.async ? returned.as(CompletionStage.class).getGeneric(0) : returned).resolve(Object.class));
		checkReturnType();
	}

	private void checkModifiers() {
		if (Modifier.isStatic(this.method.getModifiers())) {
			throw invalid("it is static", "Make it a method of the bean: remove 'static'.");
		}
		if (Modifier.isPrivate(this.method.getModifiers())) {
			throw invalid("it is private, so it cannot be called through a proxy of the bean",
					"Make it package-private: remove 'private'.");
		}
	}

	private void checkReturnType() {
		boolean nothing = this.method.getReturnType() == void.class;
		if (!nothing && !this.async && !this.answerRequired) {
			throw invalid("it returns " + this.method.getReturnType().getName() + ", which means nothing to the outbox",
					"Let it return void, a DispatchResult, or a CompletionStage if it goes on after it has returned.");
		}
		if (nothing && (AnnotatedElementUtils.hasAnnotation(this.method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(this.type, Async.class))) {
			throw invalid("it is @Async and returns void, so nobody would learn whether it failed",
					"Remove @Async (listeners do not run on the thread of the writer anyway), or return a CompletableFuture.");
		}
	}

	private Class<?> eventClass(ResolvableType event) {
		Class<?> resolved = event.resolve();
		if (resolved == null) {
			throw invalid("the class of its events is not known: " + event.getType(),
					"Name the class of the events in the first parameter.");
		}
		if (resolved.isPrimitive() || resolved == Integer.class || isHeaders(event)) {
			throw invalid("its first parameter is not the event",
					"Let its first parameter be the event or an EventEnvelope, and headers and the number of the attempt come after it.");
		}
		for (ResolvableType argument : event.getGenerics()) {
			boolean nameInMap = resolved == Map.class && argument.resolve() == String.class
					&& argument.equalsType(event.getGeneric(0));
			if (!nameInMap && argument.resolve(Object.class) != Object.class) {
				throw invalid("its events have a class with type arguments, " + event + ", which could not be kept",
						"Use a class of its own for the event, without type arguments.");
			}
		}
		return resolved;
	}

	private void addParameter(ResolvableType wanted) {
		Parameter parameter = further(wanted);
		if (parameter == null) {
			throw invalid("the outbox does not know what to pass as " + wanted, this.batch
					? "After a list of events there may only be a List<EventEnvelope>."
					: "After the event there may be an EventEnvelope, a Map<String, String> for the headers, and an int for the number of the attempt.");
		}
		if (this.parameters.contains(parameter)
				|| (parameter == Parameter.ENVELOPE && this.eventClass == EventEnvelope.class)) {
			throw invalid("it has two parameters for the same thing, " + wanted, "Remove one of them.");
		}
		this.parameters.add(parameter);
	}

	private @Nullable Parameter further(ResolvableType wanted) {
		Class<?> resolved = wanted.resolve();
		if (this.batch) {
			return (resolved == List.class && wanted.getGeneric(0).resolve() == EventEnvelope.class)
					? Parameter.ENVELOPE : null;
		}
		if (resolved == EventEnvelope.class) {
			return Parameter.ENVELOPE;
		}
		if (resolved == int.class || resolved == Integer.class) {
			return Parameter.ATTEMPT;
		}
		return isHeaders(wanted) ? Parameter.HEADERS : null;
	}

	private static boolean isHeaders(ResolvableType type) {
		return type.resolve() == Map.class && type.getGeneric(0).resolve() == String.class
				&& type.getGeneric(1).resolve() == String.class;
	}

	private ResolvableType parameter(int index) {
		return ResolvableType.forMethodParameter(this.method, index, this.type);
	}

	Class<?> type() {
		return this.type;
	}

	Method method() {
		return this.method;
	}

	Class<?> eventClass() {
		return this.eventClass;
	}

	boolean isBatch() {
		return this.batch;
	}

	/**
	 * Whether it returns a {@link CompletionStage}.
	 */
	boolean isAsync() {
		return this.async;
	}

	/**
	 * Whether it has promised a {@link DispatchResult}, now or when the stage completes.
	 */
	boolean isAnswerRequired() {
		return this.answerRequired;
	}

	/**
	 * Put the arguments together.
	 * @param event the event, or the list of events
	 * @param deliveries the deliveries, one for each event
	 */
	Object[] arguments(Object event, List<Delivery> deliveries) {
		return this.parameters.stream().map((parameter) -> switch (parameter) {
			case EVENT -> event;
			case ENVELOPE ->
				this.batch ? deliveries.stream().map(Delivery::envelope).toList() : deliveries.get(0).envelope();
			case HEADERS -> deliveries.get(0).envelope().headers();
			case ATTEMPT -> deliveries.get(0).attempt();
		}).toArray();
	}

	InvalidListenerException invalid(String problem, String action) {
		return new InvalidListenerException(this.type, this.method, problem, action);
	}

	@Override
	public String toString() {
		return InvalidListenerException.describe(this.type, this.method);
	}

}
