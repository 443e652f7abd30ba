package dev.outbox.dispatch;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches how long listeners take: warns about those that seem stuck and, if so
 * configured, interrupts those that take too long.
 */
final class ListenerWatch {

	private static final Logger logger = LoggerFactory.getLogger(ListenerWatch.class);

	private final String outbox;

	private final @Nullable Duration timeout;

	private final Duration warning;

	private final Runnable alsoEachTurn;

	private final Set<Call> calls = ConcurrentHashMap.newKeySet();

	private final BackgroundLoop loop;

	private final Duration interval;

	ListenerWatch(String outbox, DispatchProperties properties, Runnable alsoEachTurn) {
		this.outbox = outbox;
		this.alsoEachTurn = alsoEachTurn;
		this.timeout = properties.listenerTimeout();
		this.warning = properties.stuckWarning();
		Duration shortest = (this.timeout != null && this.timeout.compareTo(this.warning) < 0) ? this.timeout
				: this.warning;
		this.interval = Duration.ofMillis(Math.max(10, Math.min(1000, shortest.toMillis() / 4)));
		this.loop = new BackgroundLoop(outbox, "watch", this.interval, this::runOnce);
	}

	void start() {
		this.loop.start();
	}

	void stop() {
		this.loop.stop(Duration.ofSeconds(1));
	}

	/**
	 * Note that the present thread begins a call.
	 */
	Call begin(String listener, String eventId) {
		Call call = new Call(listener, eventId, Thread.currentThread(), System.nanoTime());
		this.calls.add(call);
		return call;
	}

	/**
	 * Note that a call has ended. From here on it is not interrupted any more.
	 * @return whether and why it was interrupted
	 */
	Interruption end(Call call) {
		this.calls.remove(call);
		synchronized (call) {
			call.over = true;
			return call.interruption;
		}
	}

	/**
	 * Interrupt all calls, because the node stops.
	 */
	void interruptAll() {
		this.calls.forEach((call) -> interrupt(call, Interruption.STOP));
	}

	Duration runOnce() {
		for (Call call : this.calls) {
			Duration running = Duration.ofNanos(System.nanoTime() - call.began);
			if (this.timeout != null && running.compareTo(this.timeout) > 0 && call.interruption == Interruption.NONE) {
				interrupt(call, Interruption.TIMEOUT);
			}
			if (running.compareTo(this.warning) > 0 && !call.warned) {
				call.warned = true;
				logger.warn("{}: listener {} has been busy with event {} for {}", this.outbox, call.listener,
						call.eventId, running);
			}
		}
		this.alsoEachTurn.run();
		return this.interval;
	}

	private static void interrupt(Call call, Interruption why) {
		synchronized (call) {
			if (!call.over) {
				call.interruption = (call.interruption == Interruption.NONE) ? why : call.interruption;
				call.thread.interrupt();
			}
		}
	}

	/**
	 * Why a call was interrupted.
	 */
	enum Interruption {

		NONE,

		/**
		 * It took too long.
		 */
		TIMEOUT,

		/**
		 * The node stops.
		 */
		STOP

	}

	/**
	 * A call that is under way.
	 */
	static final class Call {

		private final String listener;

		private final String eventId;

		private final Thread thread;

		private final long began;

		private volatile Interruption interruption = Interruption.NONE;

		private boolean warned;

		private boolean over;

		private Call(String listener, String eventId, Thread thread, long began) {
			this.listener = listener;
			this.eventId = eventId;
			this.thread = thread;
			this.began = began;
		}

	}

}
