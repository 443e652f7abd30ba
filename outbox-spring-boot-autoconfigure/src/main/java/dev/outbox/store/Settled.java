package dev.outbox.store;

/**
 * What became of a batch of settlements.
 *
 * @param recorded how many were recorded
 * @param fenced how many came too late: their events belong to others by now
 */
public record Settled(int recorded, int fenced) {

	Settled plus(Settled other) {
		return new Settled(this.recorded + other.recorded, this.fenced + other.fenced);
	}

}
