package dev.outbox.jdbc;

import java.util.Set;

import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDatabaseInitializerDetector;
import org.springframework.core.Ordered;

/**
 * Tells Boot that {@link OutboxSchema} initializes the database: beans that use it wait
 * for it. It comes after all others, because Flyway refuses to start its first migration
 * in a schema in which it finds tables.
 */
class OutboxSchemaDetector extends AbstractBeansOfTypeDatabaseInitializerDetector {

	@Override
	protected Set<Class<?>> getDatabaseInitializerBeanTypes() {
		return Set.of(OutboxSchema.class);
	}

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

}
