package dev.outbox.sample.fulfilment;

import java.time.Instant;
import java.util.List;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Shipments in the database.
 */
@Repository
class ShipmentRepository {

	private final JdbcClient jdbc;

	ShipmentRepository(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	void add(Shipment shipment) {
		this.jdbc.sql("""
				INSERT INTO shipment (id, order_id, item, quantity, planned_at)
				VALUES (:id, :orderId, :item, :quantity, :plannedAt)
				""")
			.param("id", shipment.id())
			.param("orderId", shipment.orderId())
			.param("item", shipment.item())
			.param("quantity", shipment.quantity())
			.param("plannedAt", shipment.plannedAt().toEpochMilli())
			.update();
	}

	List<Shipment> findAll() {
		return this.jdbc.sql("SELECT id, order_id, item, quantity, planned_at FROM shipment ORDER BY planned_at, id")
			.query((row, number) -> new Shipment(row.getString("id"), row.getString("order_id"), row.getString("item"),
					row.getInt("quantity"), Instant.ofEpochMilli(row.getLong("planned_at"))))
			.list();
	}

}
