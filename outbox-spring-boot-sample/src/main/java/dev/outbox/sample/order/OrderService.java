package dev.outbox.sample.order;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

import dev.outbox.OutboxWriter;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Places orders: the order and its event are stored together or not at all.
 */
@Service
class OrderService {

	private final OrderRepository orders;

	private final OutboxWriter outbox;

	OrderService(OrderRepository orders, OutboxWriter outbox) {
		this.orders = orders;
		this.outbox = outbox;
	}

	@Transactional
	Order place(String item, int quantity) {
		Order order = new Order(UUID.randomUUID().toString(), item, quantity,
				Instant.now().truncatedTo(ChronoUnit.MILLIS));
		this.orders.add(order);
		this.outbox.write(new OrderPlaced(order.id(), item, quantity));
		return order;
	}

}
