--liquibase formatted sql

--changeset orders:1
CREATE TABLE orders (id VARCHAR(36) PRIMARY KEY);

--changeset orders:2
ALTER TABLE orders ADD COLUMN item VARCHAR(100);
