package dev.outbox.dispatch;

import java.time.Duration;

import dev.outbox.OutboxException;

/**
 * A listener took longer than {@code outbox.dispatch.listener-timeout} and was
 * interrupted.
 */
public class ListenerTimeoutException extends OutboxException {

	private static final long serialVersionUID = 1L;

	ListenerTimeoutException(Duration timeout) {
		super("The listener took longer than outbox.dispatch.listener-timeout, which is " + timeout);
	}

}
