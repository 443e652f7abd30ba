package dev.outbox.store;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;

import dev.outbox.DuplicateEventException;
import dev.outbox.EventEnvelope;
import dev.outbox.testsupport.EachDatabase;
import dev.outbox.testsupport.TestDatabase;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;

import static dev.outbox.store.OutboxFixture.event;
import static dev.outbox.store.OutboxFixture.events;
import static dev.outbox.store.OutboxFixture.ids;
import static dev.outbox.store.OutboxFixture.idsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

/**
 * Contract: what is appended is in the table, completely and exactly.
 */
@EachDatabase
class AppendContractTests {

	private final OutboxFixture outbox;

	AppendContractTests(TestDatabase database) {
		this.outbox = OutboxFixture.empty(database);
	}

	@Test
	void everyFieldComesBack() {
		EventEnvelope event = event((builder) -> builder.eventId("my-own-id")
			.occurredAt(Instant.parse("2026-03-29T01:30:00.123456Z"))
			.aggregateType("Order")
			.aggregateId("4711")
			.key("customer-7")
			.tenantId("acme")
			.headers(Map.of("traceparent", "00-abc", "lang", "日本語")));
		this.outbox.append(event);
		EventRecord row = this.outbox.row("my-own-id");
		assertThat(row.envelope()).isEqualTo(event);
		assertThat(row.status()).isEqualTo(EventStatus.NEW);
		assertThat(row.owner()).isNull();
		assertThat(row.attempts()).isZero();
		assertThat(row.doneAt()).isNull();
	}

	@Test
	void whatIsNotSetComesBackAsTheDefault() {
		EventEnvelope event = event();
		this.outbox.append(event);
		assertThat(this.outbox.row(event.eventId()).envelope()).isEqualTo(event);
	}

	@Test
	void anExplicitlyMissingKeyComesBackMissing() {
		EventEnvelope event = event((builder) -> builder.aggregateId("4711").key(null));
		this.outbox.append(event);
		assertThat(this.outbox.row(event.eventId()).envelope().key()).isNull();
	}

	@Test
	void bytesComeBackAsBytes() {
		byte[] all = new byte[256];
		for (int i = 0; i < all.length; i++) {
			all[i] = (byte) i;
		}
		EventEnvelope event = EventEnvelope.builder("Blob").payloadBytes(all).build();
		EventEnvelope empty = EventEnvelope.builder("Blob").payloadBytes(new byte[0]).build();
		this.outbox.append(event, empty);
		assertThat(this.outbox.row(event.eventId()).envelope().payloadBytes()).isEqualTo(all);
		assertThat(this.outbox.row(empty.eventId()).envelope().payloadBytes()).isEmpty();
	}

	@Test
	void aBornClaimedEventHasItsOwnerAndTheFirstClaimNumber() {
		EventEnvelope event = event();
		this.outbox.append(7L, List.of(event));
		assertThat(this.outbox.row(event.eventId()).claim()).isEqualTo(new Claim(event.eventId(), 7, Claim.BORN));
		assertThat(this.outbox.claimAll(8)).isEmpty();
	}

	@Test
	void manyEventsKeepTheirOrder() {
		List<EventEnvelope> events = events(1203);
		this.outbox.append(null, events);
		List<EventRecord> all = this.outbox.admin.find(EventStatus.NEW, EventFilter.NONE, EventPage.Cursor.START, 2000)
			.events();
		assertThat(all.stream().sorted((a, b) -> Long.compare(a.sequence(), b.sequence())).map(EventRecord::eventId))
			.containsExactlyElementsOf(idsOf(events));
	}

	@Test
	void largeEventsAreSpreadOverSeveralStatements() {
		String large = "x".repeat(1 << 20);
		List<EventEnvelope> events = events(20).stream()
			.map((event) -> EventEnvelope.builder("Large").eventId(event.eventId()).payloadJson(large).build())
			.toList();
		RecordedStatements recorded = new RecordedStatements(this.outbox.source.dataSource());
		new JdbcTemplate(recorded).execute((ConnectionCallback<Boolean>) (connection) -> {
			this.outbox.appender.append(connection,
					events.stream().map((event) -> new NewEvent(event, 0, null)).toList());
			return true;
		});
		assertThat(recorded.statements()).hasSize(7);
		assertThat(this.outbox.rows()).isEqualTo(20);
		assertThat(this.outbox.row(events.get(19).eventId()).envelope().payloadJson()).isEqualTo(large);
	}

	@Test
	void theSequenceGrowsWithEachAppend() {
		EventEnvelope first = event((builder) -> builder.eventId("b"));
		EventEnvelope second = event((builder) -> builder.eventId("a"));
		this.outbox.append(first);
		this.outbox.append(second);
		assertThat(this.outbox.row("b").sequence()).isLessThan(this.outbox.row("a").sequence());
	}

	@Test
	void theSequenceIsNotUsedAgainAfterADelete() {
		EventEnvelope first = event();
		this.outbox.append(first);
		long sequence = this.outbox.row(first.eventId()).sequence();
		this.outbox.jdbc.update("DELETE FROM outbox_event");
		EventEnvelope second = event();
		this.outbox.append(second);
		assertThat(this.outbox.row(second.eventId()).sequence()).isGreaterThan(sequence);
	}

	@Test
	void anIdThatIsTakenIsRefusedWithoutQuotingTheEvent() {
		EventEnvelope event = event((builder) -> builder.aggregateId("secret-aggregate"));
		this.outbox.append(event);
		assertThatExceptionOfType(DuplicateEventException.class).isThrownBy(() -> this.outbox.append(event, event()))
			.withNoCause()
			.withMessageNotContaining("secret");
		assertThat(this.outbox.rows()).isOne();
	}

	@Test
	void idsAreComparedByteByByte() {
		String[] ids = { "abc", "ABC", "àbc", "abc ", "a\u0300bc", "ａbc" };
		for (String id : ids) {
			this.outbox.append(event((builder) -> builder.eventId(id)));
		}
		assertThat(this.outbox.rows()).isEqualTo(ids.length);
		for (String id : ids) {
			assertThat(this.outbox.row(id).eventId()).isEqualTo(id);
		}
		assertThat(this.outbox.admin.get("Abc")).isNull();
	}

	@Test
	void aDelayCountsFromTheWriteByTheDatabasesClock() {
		EventEnvelope now = event();
		EventEnvelope later = event((builder) -> builder.deliverAfter(Duration.ofHours(3)));
		this.outbox.append(now, later);
		EventRecord row = this.outbox.row(later.eventId());
		assertThat(Duration.between(row.createdAt(), row.availableAt())).isEqualTo(Duration.ofHours(3));
		assertThat(ids(this.outbox.claimAll(1))).containsExactly(now.eventId());
	}

	@Test
	void aMomentIsStoredAsItIs() {
		Instant moment = Instant.parse("2031-10-26T00:30:00.654321Z");
		EventEnvelope event = event((builder) -> builder.availableAt(moment));
		this.outbox.append(event(), event, event());
		assertThat(this.outbox.row(event.eventId()).availableAt()).isEqualTo(moment);
	}

	@Test
	void timesDoNotDependOnTheTimeZoneOfTheJvm() {
		TimeZone before = TimeZone.getDefault();
		try {
			for (String zone : new String[] { "UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns" }) {
				TimeZone.setDefault(TimeZone.getTimeZone(zone));
				try (var source = this.outbox.source.anotherPool()) {
					OutboxFixture elsewhere = OutboxFixture.through(source);
					Instant beforeChange = Instant.parse("2026-10-25T00:30:00Z");
					for (Instant occurred : List.of(beforeChange, beforeChange.plus(1, ChronoUnit.HOURS),
							Instant.parse("2026-03-29T01:59:59.999999Z"))) {
						EventEnvelope event = event((builder) -> builder.occurredAt(occurred));
						elsewhere.append(event);
						EventRecord row = elsewhere.row(event.eventId());
						assertThat(row.occurredAt()).as(zone).isEqualTo(occurred);
						assertThat(row.createdAt()).as(zone).isCloseTo(Instant.now(), within(10, ChronoUnit.MINUTES));
						assertThat(ids(elsewhere.claimAll(1))).as(zone).containsExactly(event.eventId());
					}
				}
			}
		}
		finally {
			TimeZone.setDefault(before);
		}
	}

	@Test
	void nanosecondsAreCutAndNotRounded() {
		EventEnvelope event = event((builder) -> builder.occurredAt(Instant.parse("2026-01-01T00:00:00.999999999Z"))
			.availableAt(Instant.parse("2026-01-01T00:00:00.999999999Z")));
		this.outbox.append(event);
		EventRecord row = this.outbox.row(event.eventId());
		assertThat(row.occurredAt()).isEqualTo(Instant.parse("2026-01-01T00:00:00.999999Z"));
		assertThat(row.availableAt()).isEqualTo(Instant.parse("2026-01-01T00:00:00.999999Z"));
	}

}
