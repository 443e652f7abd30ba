package dev.outbox.engine;

import java.util.List;

import dev.outbox.EventEnvelope;
import dev.outbox.write.HandOver;
import dev.outbox.write.WrittenEvent;
import org.jspecify.annotations.Nullable;

/**
 * Leads from the writer, which is there all the time, to the delivery, which starts and
 * stops.
 */
final class HandOverSwitch implements HandOver {

	private volatile HandOver target = HandOver.NONE;

	void to(HandOver next) {
		this.target = next;
	}

	@Override
	public @Nullable Long reserve(EventEnvelope event, int taken) {
		return this.target.reserve(event, taken);
	}

	@Override
	public void handOver(List<WrittenEvent> events) {
		this.target.handOver(events);
	}

	@Override
	public void cancel(List<WrittenEvent> events) {
		this.target.cancel(events);
	}

	@Override
	public void due(List<WrittenEvent> events) {
		this.target.due(events);
	}

}
