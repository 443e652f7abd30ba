package dev.outbox.sample.mail;

import java.io.IOException;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxListener;
import dev.outbox.sample.order.OrderPlaced;

import org.springframework.stereotype.Component;

/**
 * Confirms each order by mail. The process may be killed after a mail was sent and before
 * that was noted; then the event comes again. Its id makes the second mail the same as
 * the first.
 */
@Component
class OrderConfirmation {

	private final MailServer mails;

	OrderConfirmation(MailServer mails) {
		this.mails = mails;
	}

	@OutboxListener(id = "confirmation")
	void confirm(OrderPlaced order, EventEnvelope event) throws IOException, InterruptedException {
		this.mails.send(event.eventId(),
				"Thank you for order %s: %d x %s".formatted(order.orderId(), order.quantity(), order.item()));
	}

}
