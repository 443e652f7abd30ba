package dev.outbox.jdbc;

import java.util.Arrays;
import java.util.List;

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
		List<String> marked = Arrays
			.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, DataSource.class, true, false))
			.filter((name) -> beanFactory.findAnnotationOnBean(name, OutboxDataSource.class) != null)
			.toList();
		if (marked.size() > 1) {
			throw new AmbiguousDataSourceException("Several DataSources are marked with @OutboxDataSource");
		}
		DataSource dataSource = marked.isEmpty() ? beanFactory.getBeanProvider(DataSource.class).getIfUnique()
				: beanFactory.getBean(marked.get(0), DataSource.class);
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
