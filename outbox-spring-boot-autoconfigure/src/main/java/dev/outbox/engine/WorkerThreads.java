package dev.outbox.engine;

import org.springframework.core.task.AsyncTaskExecutor;

/**
 * Makes the executors that run the workers of an outbox.
 */
@FunctionalInterface
public interface WorkerThreads {

	/**
	 * Make an executor that runs a number of tasks at a time, none of which ends before
	 * the outbox stops. If it is closeable or disposable, it is closed after that.
	 * @param namePrefix how the names of its threads begin
	 * @param workers the number of tasks
	 * @return the executor
	 */
	AsyncTaskExecutor create(String namePrefix, int workers);

}
