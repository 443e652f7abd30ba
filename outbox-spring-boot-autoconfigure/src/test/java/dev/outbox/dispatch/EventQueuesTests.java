package dev.outbox.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static dev.outbox.dispatch.QueuedEvents.cold;
import static dev.outbox.dispatch.QueuedEvents.hot;
import static dev.outbox.dispatch.QueuedEvents.suspect;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link EventQueues}.
 */
@Timeout(60)
class EventQueuesTests {

	private static final long LONG = TimeUnit.MINUTES.toNanos(10);

	private final EventQueues queues = new EventQueues();

	private final List<Thread> threads = new ArrayList<>();

	@AfterEach
	void stopThreads() {
		this.threads.forEach(Thread::interrupt);
	}

	@Test
	void ofThreeEventsTwoAreHotAsLongAsThereAreBoth() throws InterruptedException {
		add(cold("c1"), cold("c2"), cold("c3"));
		add(hot("h1"), hot("h2"), hot("h3"), hot("h4"), hot("h5"), hot("h6"));
		assertThat(take(9)).containsExactly("h1", "h2", "c1", "h3", "h4", "c2", "h5", "h6", "c3");
	}

	@Test
	void whenOneQueueIsEmptyTheOtherIsTakenWithoutABreak() throws InterruptedException {
		add(cold("c1"), cold("c2"), cold("c3"));
		assertThat(take(3)).containsExactly("c1", "c2", "c3");
		add(hot("h1"), hot("h2"), hot("h3"), hot("h4"));
		assertThat(take(4)).containsExactly("h1", "h2", "h3", "h4");
		add(cold("c4"), hot("h5"), hot("h6"), hot("h7"));
		assertThat(take(4)).as("what came before does not count against either")
			.containsExactlyInAnyOrder("h5", "h6", "c4", "h7");
	}

	@Test
	void aLoneEventGoesToAWaitingWorkerWhicheverWayItComes() {
		BlockingQueue<String> taken = takeInThreads(4);
		for (QueuedEvent event : List.of(hot("h"), cold("c"), suspect("s"))) {
			awaitWaiting(4);
			add(event);
			await().until(() -> event.claim().eventId().equals(taken.poll()));
		}
	}

	@Test
	void suspectsAreOutOneAtATimeUntilTheirOutcomeIsRecorded() throws InterruptedException {
		QueuedEvent first = suspect("s1");
		add(first, suspect("s2"), cold("c1"), cold("c2"), cold("c3"));
		assertThat(take(4)).containsExactly("c1", "s1", "c2", "c3");
		BlockingQueue<String> taken = takeInThreads(1);
		awaitWaiting(1);
		this.queues.finished(cold("c1").claim());
		this.queues.finished(suspect("s2").claim());
		assertThat(this.queues.coldSize()).as("others' outcomes do not let it out").isOne();
		assertThat(taken).isEmpty();
		this.queues.finished(first.claim());
		await().until(() -> "s2".equals(taken.poll()));
	}

	@Test
	void suspectsTakeTurnsWithColdEventsAndLeaveTheHotOnesTheirShare() throws InterruptedException {
		add(suspect("s1"), cold("c1"), cold("c2"), hot("h1"), hot("h2"), hot("h3"), hot("h4"), hot("h5"), hot("h6"));
		assertThat(take(9)).containsExactly("h1", "h2", "c1", "h3", "h4", "s1", "h5", "h6", "c2");
	}

	@Test
	void whatIsNotReadyHoldsUpNobodyAndIsTakenOnceItIs() throws InterruptedException {
		Set<String> notReady = ConcurrentHashMap.newKeySet();
		notReady.addAll(List.of("h1", "c1", "s1"));
		EventQueues picky = new EventQueues((event) -> !notReady.contains(event.claim().eventId()));
		picky.add(List.of(hot("h1"), cold("c1"), suspect("s1"), hot("h2"), cold("c2")));
		assertThat(List.of(id(picky.take()), id(picky.take()))).containsExactlyInAnyOrder("h2", "c2");
		BlockingQueue<String> taken = new LinkedBlockingQueue<>();
		Thread worker = new Thread(() -> {
			try {
				taken.add(id(picky.take()));
			}
			catch (InterruptedException ex) {
				taken.add("interrupted");
			}
		});
		this.threads.add(worker);
		worker.start();
		awaitWaiting(1);
		notReady.remove("c1");
		picky.becameReady();
		await().until(() -> "c1".equals(taken.poll()));
	}

	@Test
	void anEventThatIsPutBackComesFirst() throws InterruptedException {
		add(hot("h1"), hot("h2"));
		QueuedEvent taken = this.queues.take();
		assertThat(taken).isNotNull();
		assertThat(this.queues.putBack(taken)).isTrue();
		assertThat(take(2)).containsExactly("h1", "h2");
	}

	@Test
	void aSuspectThatIsPutBackIsNotOutAnyMore() throws InterruptedException {
		add(suspect("s1"));
		QueuedEvent taken = this.queues.take();
		assertThat(taken).isNotNull();
		this.queues.putBack(taken);
		assertThat(this.queues.coldSize()).isOne();
		assertThat(take(1)).containsExactly("s1");
	}

	@Test
	void closedQueuesGiveEverythingUpAndTakeNothing() {
		BlockingQueue<String> taken = takeInThreads(2);
		awaitWaiting(2);
		assertThat(this.queues.close()).isEmpty();
		await().until(() -> this.threads.stream().noneMatch(Thread::isAlive));
		assertThat(taken).isEmpty();
		assertThat(this.queues.add(List.of(hot("h")))).isFalse();
		assertThat(this.queues.putBack(cold("c"))).isFalse();
		assertThat(this.queues.coldSize()).isZero();
	}

	@Test
	void whatWaitsIsReturnedWhenTheQueuesAreClosed() throws InterruptedException {
		add(hot("h"), cold("c"), suspect("s"));
		assertThat(this.queues.close()).extracting((event) -> event.claim().eventId())
			.containsExactlyInAnyOrder("h", "c", "s");
		assertThat(this.queues.take()).isNull();
		assertThat(this.queues.takeMore((event) -> true, 10, LONG)).isEmpty();
	}

	@Test
	void furtherEventsOfAKindAreTakenUpToALimit() {
		add(hot("a1"), hot("b1"), hot("a2"), cold("a3"), cold("a4"), suspect("a5"));
		assertThat(ids(this.queues.takeMore((event) -> event.claim().eventId().startsWith("a"), 3, LONG)))
			.containsExactly("a1", "a2", "a3");
		assertThat(ids(this.queues.takeMore((event) -> true, 10, 0))).as("suspects never come with others")
			.containsExactly("b1", "a4");
		assertThat(this.queues.coldSize()).isOne();
	}

	@Test
	void furtherEventsAreWaitedFor() {
		Set<String> taken = ConcurrentHashMap.newKeySet();
		inThread(() -> taken.addAll(ids(this.queues.takeMore((event) -> true, 3, LONG))));
		for (String id : List.of("h1", "h2", "h3")) {
			awaitWaiting(1);
			add(hot(id));
			await().until(() -> this.queues.remove((event) -> false).isEmpty());
		}
		await().until(() -> taken.equals(Set.of("h1", "h2", "h3")));
	}

	@Test
	void anInterruptDoesNotLoseFurtherEventsThatWereTakenAlready() {
		List<String> taken = new ArrayList<>();
		add(hot("h1"), cold("c1"));
		Thread thread = inThread(() -> taken.addAll(ids(this.queues.takeMore((event) -> true, 3, LONG))));
		awaitWaiting(1);
		thread.interrupt();
		await().until(() -> !thread.isAlive());
		this.queues.close().forEach((event) -> taken.add(event.claim().eventId()));
		assertThat(taken).containsExactlyInAnyOrder("h1", "c1");
	}

	@Test
	void onlyEventsOfAKindAreRemoved() throws InterruptedException {
		add(hot("a1"), hot("b1"), cold("a2"), cold("b2"), suspect("a3"), suspect("b3"));
		assertThat(ids(this.queues.remove((event) -> event.claim().eventId().startsWith("a"))))
			.containsExactlyInAnyOrder("a1", "a2", "a3");
		assertThat(take(3)).containsExactlyInAnyOrder("b1", "b2", "b3");
	}

	private void add(QueuedEvent... events) {
		assertThat(this.queues.add(List.of(events))).isTrue();
	}

	private List<String> take(int count) throws InterruptedException {
		List<String> taken = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			taken.add(id(this.queues.take()));
		}
		return taken;
	}

	private BlockingQueue<String> takeInThreads(int count) {
		BlockingQueue<String> taken = new LinkedBlockingQueue<>();
		Stream.generate(() -> taken).limit(count).forEach((target) -> inThread(() -> {
			QueuedEvent event = this.queues.take();
			while (event != null) {
				target.add(id(event));
				event = this.queues.take();
			}
		}));
		return taken;
	}

	private Thread inThread(Work work) {
		Thread thread = new Thread(() -> {
			try {
				work.run();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		this.threads.add(thread);
		thread.start();
		return thread;
	}

	private void awaitWaiting(int count) {
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.threads.stream()
				.map(Thread::getState)
				.filter((state) -> state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING)
				.count() == count);
	}

	private static List<String> ids(List<QueuedEvent> events) {
		return events.stream().map(EventQueuesTests::id).toList();
	}

	private static String id(@Nullable QueuedEvent event) {
		return (event != null) ? event.claim().eventId() : "nothing";
	}

	private interface Work {

		void run() throws InterruptedException;

	}

}
