package dev.outbox.listener;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.outbox.OutboxListener;
import dev.outbox.serialize.EventSerializer;
import dev.outbox.serialize.EventTypes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.stereotype.Component;

/**
 * Finds the {@link OutboxListener} methods of all beans by their classes. Beans are not
 * made for that, so it may run as soon as the ordinary ones are there.
 */
public final class ListenerScanner {

	private static final Logger logger = LoggerFactory.getLogger(ListenerScanner.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final EventTypes types;

	private final EventSerializer serializer;

	/**
	 * Make a scanner for the beans of a bean factory.
	 * @param beanFactory where the beans are
	 * @param types the known event classes
	 * @param serializer reads payloads
	 */
	public ListenerScanner(ConfigurableListableBeanFactory beanFactory, EventTypes types, EventSerializer serializer) {
		this.beanFactory = beanFactory;
		this.types = types;
		this.serializer = serializer;
	}

	/**
	 * Register the listeners of one outbox.
	 * @param outboxName the name of the outbox
	 * @param isDefault whether listeners that name no outbox mean this one
	 * @param registry where to register them
	 * @throws InvalidListenerException if a method cannot be a listener, of whichever
	 * outbox
	 * @throws DuplicateListenerException if two listeners cannot be told apart
	 */
	public void registerInto(String outboxName, boolean isDefault, ListenerRegistry registry) {
		for (MethodEndpoint endpoint : find()) {
			if (endpoint.outbox().isEmpty() ? isDefault : endpoint.outbox().equals(outboxName)) {
				registry.register(endpoint);
			}
		}
	}

	/**
	 * See that no listener belongs to an outbox that is not there.
	 * @param outboxNames the names of all outboxes
	 * @throws InvalidListenerException if there is such a listener
	 */
	public void requireOutboxes(Set<String> outboxNames) {
		for (MethodEndpoint endpoint : find()) {
			if (!endpoint.outbox().isEmpty() && !outboxNames.contains(endpoint.outbox())) {
				throw endpoint.withoutOutbox(outboxNames);
			}
		}
	}

	List<MethodEndpoint> find() {
		List<MethodEndpoint> endpoints = new ArrayList<>();
		for (String name : this.beanFactory.getBeanNamesForType(Object.class, true, false)) {
			Class<?> type = targetClass(name);
			if (type != null && isCandidate(type)) {
				String beanName = ScopedProxyUtils.isScopedTarget(name) ? ScopedProxyUtils.getOriginalBeanName(name)
						: name;
				endpoints.addAll(endpoints(beanName, type, annotatedMethods(beanName, type)));
			}
		}
		return endpoints;
	}

	/**
	 * The class behind proxies. A scoped proxy has none, because what is behind it is a
	 * bean as well: that one tells the methods, to be called on the proxy.
	 */
	private @Nullable Class<?> targetClass(String beanName) {
		if (this.beanFactory.containsBean(ScopedProxyUtils.getTargetBeanName(beanName))) {
			return null;
		}
		Class<?> type = exposedClass(beanName);
		if (type != null && SpringProxy.class.isAssignableFrom(type) && this.beanFactory.containsSingleton(beanName)) {
			return AopUtils.getTargetClass(this.beanFactory.getBean(beanName));
		}
		return type;
	}

	private @Nullable Class<?> exposedClass(String beanName) {
		if (this.beanFactory.containsBeanDefinition(beanName) && this.beanFactory.getMergedBeanDefinition(beanName)
			.getAttribute(AutoProxyUtils.ORIGINAL_TARGET_CLASS_ATTRIBUTE) instanceof Class<?> original) {
			return original;
		}
		return this.beanFactory.getType(beanName, false);
	}

	private static boolean isCandidate(Class<?> type) {
		return AnnotationUtils.isCandidateClass(type, OutboxListener.class)
				&& (!type.getName().startsWith("org.springframework.")
						|| AnnotatedElementUtils.isAnnotated(type, Component.class));
	}

	private static Map<Method, OutboxListener> annotatedMethods(String beanName, Class<?> type) {
		try {
			return MethodIntrospector.selectMethods(type,
					(MethodIntrospector.MetadataLookup<OutboxListener>) (method) -> AnnotatedElementUtils
						.findMergedAnnotation(method, OutboxListener.class));
		}
		catch (TypeNotPresentException | LinkageError ex) {
			logger.debug("The methods of bean '{}' cannot be looked at for want of a class, so it has no listeners",
					beanName, ex);
			return Map.of();
		}
	}

	private List<MethodEndpoint> endpoints(String beanName, Class<?> type, Map<Method, OutboxListener> methods) {
		Map<String, Long> overloads = methods.keySet()
			.stream()
			.collect(Collectors.groupingBy(Method::getName, Collectors.counting()));
		List<MethodEndpoint> endpoints = new ArrayList<>();
		methods.forEach((method, annotation) -> endpoints.add(endpoint(beanName, new ListenerMethod(type, method),
				annotation, overloads.getOrDefault(method.getName(), 1L) > 1)));
		endpoints.sort(Comparator.comparing(MethodEndpoint::id));
		return endpoints;
	}

	private MethodEndpoint endpoint(String beanName, ListenerMethod method, OutboxListener annotation,
			boolean overloaded) {
		ListenerAttributes attributes = new ListenerAttributes(method, annotation,
				this.beanFactory::resolveEmbeddedValue);
		Set<Subscription> subscriptions = attributes.subscriptions(this.types);
		String ownId = attributes.id();
		String id = (ownId != null) ? ownId : derivedId(beanName, method, subscriptions, overloaded);
		BeanMethod target = new BeanMethod(this.beanFactory, beanName, method);
		Class<?> beanClass = this.beanFactory.getType(beanName, false);
		if (beanClass != null) {
			target.on(beanClass);
		}
		return new MethodEndpoint(new MethodEndpoint.Identity(id, ownId != null, attributes.outbox()), subscriptions,
				attributes.settings(), method, new PayloadReader(this.serializer, method.eventClass()), target);
	}

	private static String derivedId(String beanName, ListenerMethod method, Set<Subscription> subscriptions,
			boolean overloaded) {
		String name = beanName + "." + method.method().getName();
		return ListenerId.from(overloaded
				? name + "."
						+ subscriptions.stream().map(Subscription::toString).sorted().collect(Collectors.joining("."))
				: name);
	}

}
