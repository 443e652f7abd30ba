package dev.outbox.sample.fulfilment;

import java.util.List;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Shipments over HTTP.
 */
@RestController
class ShipmentController {

	private final ShipmentRepository shipments;

	ShipmentController(ShipmentRepository shipments) {
		this.shipments = shipments;
	}

	@GetMapping("/shipments")
	List<Shipment> list() {
		return this.shipments.findAll();
	}

}
