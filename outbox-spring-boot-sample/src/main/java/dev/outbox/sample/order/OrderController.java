package dev.outbox.sample.order;

import java.util.List;

import jakarta.validation.Valid;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * Orders over HTTP.
 */
@RestController
@RequestMapping("/orders")
class OrderController {

	private final OrderService service;

	private final OrderRepository orders;

	OrderController(OrderService service, OrderRepository orders) {
		this.service = service;
		this.orders = orders;
	}

	@PostMapping
	ResponseEntity<Order> place(@Valid @RequestBody OrderRequest request, UriComponentsBuilder uri) {
		Order order = this.service.place(request.item(), request.quantity());
		return ResponseEntity.created(uri.path("/orders/{id}").build(order.id())).body(order);
	}

	@GetMapping
	List<Order> list() {
		return this.orders.findAll();
	}

	@GetMapping("/{id}")
	Order get(@PathVariable String id) {
		return this.orders.find(id).orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
	}

}
