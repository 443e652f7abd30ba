package dev.outbox.dispatch;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import dev.outbox.OutboxException;
import dev.outbox.listener.Delivery;
import dev.outbox.listener.DeliveryResult;
import dev.outbox.store.Claim;
import dev.outbox.store.EventSettlement;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionOperations;

/**
 * Calls a listener and records that it was called in one transaction, so that what it
 * does in the same database happens exactly once. If the claim was taken away meanwhile,
 * or the listener fails, all of it is rolled back. An interrupt that the listener left
 * behind must not disturb the recording.
 */
final class TransactionalDelivery {

	private final TransactionOperations transactions;

	private final EventSettlement settlement;

	private final InFlight inFlight;

	TransactionalDelivery(TransactionOperations transactions, EventSettlement settlement, InFlight inFlight) {
		this.inFlight = inFlight;
		this.transactions = transactions;
		this.settlement = settlement;
	}

	CompletionStage<List<DeliveryResult>> call(ListenerGuard guard, List<Trial> trials, List<Delivery> deliveries) {
		List<DeliveryResult> answer = this.transactions.execute((status) -> {
			this.settlement.requireTransaction();
			List<DeliveryResult> results = guard.endpoint().call(deliveries).toCompletableFuture().join();
			Thread.interrupted();
			DeliveryResult failed = firstOtherThanDone(results);
			if (failed != null) {
				status.setRollbackOnly();
				return results.stream()
					.map((result) -> (result instanceof DeliveryResult.Done) ? failed : result)
					.toList();
			}
			trials.forEach((trial) -> record(guard, trial));
			return results;
		});
		List<DeliveryResult> results = (answer != null) ? answer : List.of();
		if (firstOtherThanDone(results) == null) {
			trials.forEach((trial) -> committed(guard, trial));
		}
		return CompletableFuture.completedFuture(results);
	}

	private void record(ListenerGuard guard, Trial trial) {
		boolean held = trial.isLast(guard) ? this.settlement.completeWithin(trial.event().claim())
				: this.settlement.recordProgressWithin(trial.event().claim(), trial.progressWith(guard));
		if (!held) {
			throw new ClaimLostException(trial.event().claim().eventId());
		}
	}

	/**
	 * With progress the claim moves on, so that an outcome that does not know of it, as
	 * when the commit's reply was lost, cannot undo it.
	 */
	private void committed(ListenerGuard guard, Trial trial) {
		if (trial.isLast(guard)) {
			trial.finished();
			return;
		}
		Claim before = trial.event().claim();
		Claim after = before.next();
		this.inFlight.replace(before, after);
		trial.continueUnder(after);
	}

	private static @Nullable DeliveryResult firstOtherThanDone(List<DeliveryResult> results) {
		return results.stream().filter((result) -> !(result instanceof DeliveryResult.Done)).findFirst().orElse(null);
	}

	/**
	 * The event belongs to another node by now, so its listener's work is undone.
	 */
	static final class ClaimLostException extends OutboxException {

		private static final long serialVersionUID = 1L;

		ClaimLostException(String eventId) {
			super("Event " + eventId + " was taken over by another node while it was being delivered");
		}

	}

}
