package dev.outbox.listener;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.SpringProxy;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ReflectionUtils;

/**
 * Calls a listener method on its bean. The bean is asked for at each call, so that a lazy
 * one is made when the first event comes and a scoped one is the right one; it may be a
 * proxy.
 */
final class BeanMethod {

	private final BeanFactory beanFactory;

	private final String beanName;

	private final ListenerMethod method;

	private volatile @Nullable Invocable invocable;

	BeanMethod(BeanFactory beanFactory, String beanName, ListenerMethod method) {
		this.beanFactory = beanFactory;
		this.beanName = beanName;
		this.method = method;
	}

	@Nullable Object invoke(Object[] arguments) throws Throwable {
		Object bean = this.beanFactory.getBean(this.beanName);
		try {
			return on(bean.getClass()).invoke(bean, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	/**
	 * Find the method to call on a bean of some class.
	 * @param beanClass the class of the bean or its proxy
	 * @return the method
	 * @throws InvalidListenerException if the proxy does not have it
	 */
	Method on(Class<?> beanClass) {
		Invocable known = this.invocable;
		if (known == null || known.beanClass() != beanClass) {
			known = new Invocable(beanClass, select(beanClass));
			this.invocable = known;
		}
		return known.method();
	}

	private Method select(Class<?> beanClass) {
		Method selected;
		try {
			selected = AopUtils.selectInvocableMethod(this.method.method(), beanClass);
		}
		catch (IllegalStateException ex) {
			throw this.method.invalid("the bean '" + this.beanName + "' is a proxy that does not have this method",
					"Declare the method in an interface of the bean, or let the proxy extend the class "
							+ "(proxyTargetClass = true).");
		}
		if (SpringProxy.class.isAssignableFrom(beanClass) && !Proxy.isProxyClass(beanClass)
				&& Modifier.isFinal(selected.getModifiers())) {
			throw this.method.invalid("it is final, so the proxy of the bean '" + this.beanName + "' cannot pass it on",
					"Remove 'final'.");
		}
		ReflectionUtils.makeAccessible(selected);
		return selected;
	}

	private record Invocable(Class<?> beanClass, Method method) {

	}

}
