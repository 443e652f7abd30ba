package dev.outbox.serialize;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import dev.outbox.OutboxEvent;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/**
 * Finds classes annotated with {@link OutboxEvent}, nested and abstract ones included.
 */
final class EventClassScanner extends ClassPathScanningCandidateComponentProvider {

	EventClassScanner() {
		super(false);
		addIncludeFilter(new AnnotationTypeFilter(OutboxEvent.class));
	}

	@Override
	protected boolean isCandidateComponent(AnnotatedBeanDefinition definition) {
		return !definition.getMetadata().isAnnotation();
	}

	List<Class<?>> scan(Collection<String> packages, @Nullable ClassLoader classLoader) {
		List<Class<?>> classes = new ArrayList<>();
		for (String basePackage : packages) {
			for (BeanDefinition candidate : findCandidateComponents(basePackage)) {
				classes.add(ClassUtils.resolveClassName(String.valueOf(candidate.getBeanClassName()), classLoader));
			}
		}
		return classes;
	}

}
