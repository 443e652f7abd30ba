-- order_id is not unique on purpose: a second shipment of an order would be seen.
CREATE TABLE shipment (
	id         VARCHAR(36) NOT NULL PRIMARY KEY,
	order_id   VARCHAR(36) NOT NULL,
	item       VARCHAR(200) NOT NULL,
	quantity   INTEGER NOT NULL,
	planned_at BIGINT NOT NULL
);
