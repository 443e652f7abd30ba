package dev.outbox.sample.order;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Orders in the database.
 */
@Repository
class OrderRepository {

	private final JdbcClient jdbc;

	OrderRepository(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	void add(Order order) {
		this.jdbc.sql("""
				INSERT INTO customer_order (id, item, quantity, placed_at)
				VALUES (:id, :item, :quantity, :placedAt)
				""")
			.param("id", order.id())
			.param("item", order.item())
			.param("quantity", order.quantity())
			.param("placedAt", order.placedAt().toEpochMilli())
			.update();
	}

	Optional<Order> find(String id) {
		return this.jdbc.sql("SELECT id, item, quantity, placed_at FROM customer_order WHERE id = :id")
			.param("id", id)
			.query(OrderRepository::read)
			.optional();
	}

	List<Order> findAll() {
		return this.jdbc.sql("SELECT id, item, quantity, placed_at FROM customer_order ORDER BY placed_at, id")
			.query(OrderRepository::read)
			.list();
	}

	private static Order read(ResultSet row, int number) throws SQLException {
		return new Order(row.getString("id"), row.getString("item"), row.getInt("quantity"),
				Instant.ofEpochMilli(row.getLong("placed_at")));
	}

}
