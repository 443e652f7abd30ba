package dev.outbox.jdbc;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/**
 * Makes Hibernate look for the event table when it starts.
 */
@Entity(name = "StoredEvent")
@Table(name = "outbox_event")
class StoredEvent {

	@Id
	@Column(name = "event_id", length = 36)
	private String eventId;

	String eventId() {
		return this.eventId;
	}

}
