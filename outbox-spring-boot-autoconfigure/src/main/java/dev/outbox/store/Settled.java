package dev.outbox.store;

import java.util.HashMap;
import java.util.Map;

import org.springframework.dao.DataAccessException;

/**
 * What became of a batch of settlements.
 *
 * @param recorded how many were recorded
 * @param fenced how many came too late: their events belong to others by now
 * @param refused those that the database refused each by itself, and why
 */
public record Settled(int recorded, int fenced, Map<Claim, DataAccessException> refused) {

	public Settled(int recorded, int fenced) {
		this(recorded, fenced, Map.of());
	}

	Settled plus(Settled other) {
		Map<Claim, DataAccessException> both = new HashMap<>(this.refused);
		both.putAll(other.refused);
		return new Settled(this.recorded + other.recorded, this.fenced + other.fenced, both);
	}

}
