package dev.outbox.serialize;

import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Reads a property such as {@code order.id} of an object: record components, getters and
 * fields, public or not. A path that leads nowhere is found out when it is made.
 */
final class PropertyPath {

	private final List<Member> steps;

	private PropertyPath(List<Member> steps) {
		this.steps = steps;
	}

	static PropertyPath of(Class<?> type, String attribute, String path) {
		List<Member> steps = new ArrayList<>();
		Class<?> current = type;
		for (String name : path.split("\\.", -1)) {
			Member step = find(current, name);
			if (step == null) {
				throw new IllegalStateException("@OutboxEvent(%s = \"%s\") on %s: %s has no property '%s'"
					.formatted(attribute, path, type.getName(), current.getName(), name));
			}
			steps.add(step);
			current = (step instanceof Method method) ? method.getReturnType() : ((Field) step).getType();
		}
		return new PropertyPath(steps);
	}

	private static @Nullable Member find(Class<?> type, String name) {
		for (String accessor : new String[] { name, "get" + StringUtils.capitalize(name),
				"is" + StringUtils.capitalize(name) }) {
			Method method = ReflectionUtils.findMethod(type, accessor);
			if (method != null && method.getReturnType() != void.class && !Modifier.isStatic(method.getModifiers())) {
				ReflectionUtils.makeAccessible(method);
				return method;
			}
		}
		Field field = ReflectionUtils.findField(type, name);
		if (field != null && !Modifier.isStatic(field.getModifiers())) {
			ReflectionUtils.makeAccessible(field);
			return field;
		}
		return null;
	}

	/**
	 * Read the property.
	 * @param object the object to start from
	 * @return its string form, or {@code null} if it or something on the way is
	 * {@code null}
	 */
	@Nullable String read(Object object) {
		Object current = object;
		for (Member step : this.steps) {
			if (current == null) {
				return null;
			}
			current = (step instanceof Method method) ? ReflectionUtils.invokeMethod(method, current)
					: ReflectionUtils.getField((Field) step, current);
		}
		return (current != null) ? current.toString() : null;
	}

}
