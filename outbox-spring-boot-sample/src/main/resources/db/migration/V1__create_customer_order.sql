-- Plain enough for H2, PostgreSQL and MariaDB. The outbox brings its own tables.
CREATE TABLE customer_order (
	id        VARCHAR(36) NOT NULL PRIMARY KEY,
	item      VARCHAR(200) NOT NULL,
	quantity  INTEGER NOT NULL,
	placed_at BIGINT NOT NULL
);
