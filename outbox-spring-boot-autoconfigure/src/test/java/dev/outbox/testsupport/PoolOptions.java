package dev.outbox.testsupport;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How a test wants its connections.
 *
 * @param maximumPoolSize how many connections the pool opens at most
 * @param connectionTimeout how long to wait for one of them
 * @param autoCommit whether connections commit each statement
 * @param urlParameters parameters added to the JDBC URL, in the notation of the driver
 */
public record PoolOptions(int maximumPoolSize, Duration connectionTimeout, boolean autoCommit,
		Map<String, String> urlParameters) {

	public PoolOptions {
		urlParameters = Map.copyOf(urlParameters);
	}

	public static PoolOptions defaults() {
		return new PoolOptions(10, Duration.ofSeconds(30), true, Map.of());
	}

	public PoolOptions withMaximumPoolSize(int maximumPoolSize) {
		return new PoolOptions(maximumPoolSize, this.connectionTimeout, this.autoCommit, this.urlParameters);
	}

	public PoolOptions withConnectionTimeout(Duration connectionTimeout) {
		return new PoolOptions(this.maximumPoolSize, connectionTimeout, this.autoCommit, this.urlParameters);
	}

	public PoolOptions withAutoCommit(boolean autoCommit) {
		return new PoolOptions(this.maximumPoolSize, this.connectionTimeout, autoCommit, this.urlParameters);
	}

	public PoolOptions withUrlParameter(String name, String value) {
		Map<String, String> parameters = new LinkedHashMap<>(this.urlParameters);
		parameters.put(name, value);
		return new PoolOptions(this.maximumPoolSize, this.connectionTimeout, this.autoCommit, parameters);
	}

}
