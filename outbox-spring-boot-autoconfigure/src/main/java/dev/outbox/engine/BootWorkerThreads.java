package dev.outbox.engine;

import org.springframework.boot.task.SimpleAsyncTaskExecutorBuilder;
import org.springframework.boot.task.ThreadPoolTaskExecutorBuilder;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/**
 * Makes workers as the application's properties want them: virtual threads where these
 * are switched on, platform threads otherwise.
 */
final class BootWorkerThreads implements WorkerThreads {

	private final ThreadPoolTaskExecutorBuilder platform;

	private final SimpleAsyncTaskExecutorBuilder virtual;

	private final boolean useVirtual;

	BootWorkerThreads(ThreadPoolTaskExecutorBuilder platform, SimpleAsyncTaskExecutorBuilder virtual,
			boolean useVirtual) {
		this.platform = platform;
		this.virtual = virtual;
		this.useVirtual = useVirtual;
	}

	static WorkerThreads plain() {
		return new BootWorkerThreads(new ThreadPoolTaskExecutorBuilder(), new SimpleAsyncTaskExecutorBuilder(), false);
	}

	@Override
	public AsyncTaskExecutor create(String namePrefix, int workers) {
		if (this.useVirtual) {
			return this.virtual.virtualThreads(true).concurrencyLimit(workers).threadNamePrefix(namePrefix).build();
		}
		ThreadPoolTaskExecutor executor = this.platform.corePoolSize(workers)
			.maxPoolSize(workers)
			.threadNamePrefix(namePrefix)
			.build();
		executor.setDaemon(true);
		executor.initialize();
		return executor;
	}

}
