-- Times are microseconds since 1970-01-01T00:00:00Z: TIMESTAMP('1970-01-01') + INTERVAL created_at MICROSECOND.
-- Status: 0 = NEW, 1 = DONE, 2 = RETRY, 3 = DEAD. A row with an owner is claimed by that node.
-- The collation is binary and without padding: 'a', 'A', 'á' and 'a ' are four different ids.
CREATE SEQUENCE IF NOT EXISTS outbox_event_seq;

CREATE TABLE IF NOT EXISTS outbox_event (
    event_id       VARCHAR(36) NOT NULL,
    seq            BIGINT NOT NULL DEFAULT NEXTVAL(outbox_event_seq),
    status         SMALLINT NOT NULL DEFAULT 0,
    owner          BIGINT,
    claim          INTEGER NOT NULL DEFAULT 0,
    attempts       INTEGER NOT NULL DEFAULT 0,
    reclaims       SMALLINT NOT NULL DEFAULT 0,
    partition_no   INTEGER NOT NULL DEFAULT 0,
    available_at   BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    occurred_at    BIGINT NOT NULL,
    done_at        BIGINT,
    event_type     VARCHAR(128) NOT NULL,
    aggregate_type VARCHAR(64) NOT NULL,
    aggregate_id   VARCHAR(128),
    event_key      VARCHAR(128),
    tenant_id      VARCHAR(64),
    headers        MEDIUMTEXT,
    payload        LONGTEXT,
    payload_bytes  LONGBLOB,
    progress       MEDIUMTEXT,
    last_error     MEDIUMTEXT,
    PRIMARY KEY (event_id),
    -- One index for all: claimable events (no owner) in claim order, claimed ones by owner, finished ones by age.
    KEY outbox_event_lane (owner, status, available_at, seq)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS outbox_node (
    node_id    BIGINT NOT NULL,
    name       VARCHAR(255) NOT NULL,
    started_at BIGINT NOT NULL,
    beat_at    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    dead_at    BIGINT,
    PRIMARY KEY (node_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS outbox_partition (
    partition_no INTEGER NOT NULL,
    owner        BIGINT,
    epoch        BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (partition_no)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

CREATE TABLE IF NOT EXISTS outbox_meta (
    meta_name  VARCHAR(64) NOT NULL,
    meta_value VARCHAR(255) NOT NULL,
    PRIMARY KEY (meta_name)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

INSERT INTO outbox_meta (meta_name, meta_value)
SELECT 'schema.version', '1' FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM outbox_meta WHERE meta_name = 'schema.version');
INSERT INTO outbox_meta (meta_name, meta_value)
SELECT 'schema.compatible', '1' FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM outbox_meta WHERE meta_name = 'schema.compatible');
