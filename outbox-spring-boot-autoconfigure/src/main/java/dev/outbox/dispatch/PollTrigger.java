package dev.outbox.dispatch;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Tells the poller when it is worth looking. It may be pulled from any thread and never
 * blocks.
 */
public final class PollTrigger {

	private volatile @Nullable BackgroundLoop poller;

	/**
	 * Name the poller.
	 * @param loop its thread
	 */
	public void attach(BackgroundLoop loop) {
		this.poller = loop;
	}

	/**
	 * Let the poller look at once.
	 */
	public void pull() {
		BackgroundLoop loop = this.poller;
		if (loop != null) {
			loop.wake();
		}
	}

	/**
	 * Let the poller look after some time at the latest.
	 * @param delay the time
	 */
	public void pullIn(Duration delay) {
		BackgroundLoop loop = this.poller;
		if (loop != null) {
			loop.wakeIn(delay);
		}
	}

}
