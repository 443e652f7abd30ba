package dev.outbox.dispatch;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import dev.outbox.store.Claim;

/**
 * The claims that this node knows it holds: from the commit, or from the poll, until the
 * outcome is recorded or the claim is given back. Nothing leaves it by the mere passing
 * of time.
 */
final class InFlight {

	private final Set<Claim> claims = ConcurrentHashMap.newKeySet();

	private final Consumer<Claim> left;

	InFlight(Consumer<Claim> left) {
		this.left = left;
	}

	void add(Claim claim) {
		this.claims.add(claim);
	}

	void remove(Claim claim) {
		this.claims.remove(claim);
		this.left.accept(claim);
	}

	/**
	 * Go on with an event under its next claim.
	 */
	void replace(Claim before, Claim after) {
		this.claims.add(after);
		this.claims.remove(before);
	}

	void removeAll(Collection<Claim> gone) {
		gone.forEach(this::remove);
	}

	/**
	 * Return whether this node knows that it holds a claim.
	 * @param claim the claim
	 * @return whether it is known
	 */
	boolean contains(Claim claim) {
		return this.claims.contains(claim);
	}

	/**
	 * Return how many claims are known.
	 * @return the number
	 */
	int size() {
		return this.claims.size();
	}

}
