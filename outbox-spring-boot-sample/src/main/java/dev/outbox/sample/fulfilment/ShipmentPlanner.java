package dev.outbox.sample.fulfilment;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

import dev.outbox.OutboxListener;
import dev.outbox.sample.order.OrderPlaced;

import org.springframework.stereotype.Component;

/**
 * Plans a shipment for each order. The shipment and the note that this listener has had
 * the event are stored in one transaction, so there is exactly one shipment per order,
 * even if the process is killed at any moment.
 */
@Component
class ShipmentPlanner {

	private final ShipmentRepository shipments;

	ShipmentPlanner(ShipmentRepository shipments) {
		this.shipments = shipments;
	}

	@OutboxListener(id = "shipment", transactional = true)
	void plan(OrderPlaced order) {
		this.shipments.add(new Shipment(UUID.randomUUID().toString(), order.orderId(), order.item(), order.quantity(),
				Instant.now().truncatedTo(ChronoUnit.MILLIS)));
	}

}
