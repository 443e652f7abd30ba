package dev.outbox.dead;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.function.Predicate;

import dev.outbox.store.EventAdmin;
import dev.outbox.store.EventFilter;
import dev.outbox.store.EventPage;
import dev.outbox.store.EventRecord;
import dev.outbox.store.EventStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The dead events in the event table.
 */
final class StoredDeadEvents implements DeadEvents {

	private static final Logger logger = LoggerFactory.getLogger(DeadEvents.class);

	private static final int MAX_BATCH = 500;

	private static final int BATCHES_PER_SECOND = 10;

	private final String name;

	private final EventAdmin admin;

	private final Pacing pacing;

	private final ReplayListener listener;

	StoredDeadEvents(String name, EventAdmin admin, Pacing pacing, ReplayListener listener) {
		this.name = name;
		this.admin = admin;
		this.pacing = pacing;
		this.listener = listener;
	}

	@Override
	public DeadEventPage find(DeadEventQuery query) {
		EventPage page = this.admin.find(EventStatus.DEAD, query.filter(), PageCursor.decode(query.cursor()),
				query.limit());
		return new DeadEventPage(page.events().stream().map(DeadEvent::of).toList(), PageCursor.encode(page.next()));
	}

	@Override
	public Optional<DeadEvent> get(String eventId) {
		return Optional.ofNullable(this.admin.get(eventId))
			.filter((event) -> event.status() == EventStatus.DEAD)
			.map(DeadEvent::of);
	}

	@Override
	public long count(DeadEventQuery query) {
		return this.admin.count(EventStatus.DEAD, query.filter());
	}

	@Override
	public void replay(String eventId) {
		change(eventId, this.admin::replay);
		this.listener.replayed();
		logger.info("{}: Dead event {} is delivered again", this.name, eventId);
	}

	@Override
	public void discard(String eventId) {
		change(eventId, this.admin::discard);
		logger.info("{}: Dead event {} was discarded", this.name, eventId);
	}

	/**
	 * An event that is dead after all died between the two looks at it.
	 */
	private void change(String eventId, Predicate<String> change) {
		while (!change.test(eventId)) {
			EventRecord event = this.admin.get(eventId);
			if (event == null || event.status() != EventStatus.DEAD) {
				throw new EventNotDeadException(eventId, (event != null) ? event.status() : null);
			}
		}
	}

	@Override
	public ReplayReport replayAll(DeadEventQuery query, ReplayOptions options) {
		if (!query.all() && query.filter().equals(EventFilter.NONE)) {
			throw new IllegalArgumentException(
					"The query has no condition. Say all() if every dead event is to be delivered again");
		}
		EventFilter filter = query.filter(deadByNow(query));
		long matched = this.admin.count(EventStatus.DEAD, filter);
		int replayed = options.dryRun() ? 0 : replay(filter, options);
		return new ReplayReport(options.dryRun(), matched, replayed);
	}

	/**
	 * The end of the time of death: now, unless the query ends earlier.
	 */
	private Instant deadByNow(DeadEventQuery query) {
		Instant afterNow = this.admin.now().plus(1, ChronoUnit.MICROS);
		Instant before = query.diedBefore();
		return (before != null && before.isBefore(afterNow)) ? before : afterNow;
	}

	private int replay(EventFilter filter, ReplayOptions options) {
		Integer rate = options.perSecond();
		int batch = (rate != null) ? Math.min(MAX_BATCH, Math.max(1, rate / BATCHES_PER_SECOND)) : MAX_BATCH;
		int replayed = 0;
		try {
			while (true) {
				int wanted = Math.min(batch, options.limit() - replayed);
				int count = this.admin.replayAll(filter, wanted);
				replayed += count;
				if (count > 0) {
					this.listener.replayed();
				}
				if (count < wanted || replayed == options.limit()) {
					return replayed;
				}
				if (rate != null) {
					this.pacing.pause(Duration.ofSeconds(1).multipliedBy(count).dividedBy(rate));
				}
			}
		}
		finally {
			logger.info("{}: {} dead events are delivered again", this.name, replayed);
		}
	}

}
