package dev.outbox.jdbc;

import java.util.Map;

import javax.sql.DataSource;

import dev.outbox.OutboxDataSource;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * Chooses the outbox's DataSource: the one marked with {@link OutboxDataSource}, else the
 * only or primary one. It does not guess between several.
 */
final class OutboxDataSourceResolver {

	private OutboxDataSourceResolver() {
	}

	static DataSource resolve(ListableBeanFactory beanFactory) {
		DataSource marked = null;
		for (Map.Entry<String, DataSource> bean : BeanFactoryUtils
			.beansOfTypeIncludingAncestors(beanFactory, DataSource.class)
			.entrySet()) {
			if (beanFactory.findAnnotationOnBean(bean.getKey(), OutboxDataSource.class) != null) {
				if (marked != null) {
					throw new AmbiguousDataSourceException("Several DataSources are marked with @OutboxDataSource");
				}
				marked = bean.getValue();
			}
		}
		DataSource dataSource = (marked != null) ? marked : beanFactory.getBeanProvider(DataSource.class).getIfUnique();
		if (dataSource == null) {
			throw new AmbiguousDataSourceException("There are several DataSources and none of them is primary");
		}
		return targetOf(dataSource);
	}

	/**
	 * Transaction managers work on the target of such a proxy, too.
	 */
	private static DataSource targetOf(DataSource dataSource) {
		return (dataSource instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null)
				? proxy.getTargetDataSource() : dataSource;
	}

}
