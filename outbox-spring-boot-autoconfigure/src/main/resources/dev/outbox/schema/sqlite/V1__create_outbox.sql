-- Times are microseconds since 1970-01-01T00:00:00Z: datetime(created_at / 1000000, 'unixepoch').
-- Status: 0 = NEW, 1 = DONE, 2 = RETRY, 3 = DEAD. A row with an owner is claimed by that node.
CREATE TABLE IF NOT EXISTS outbox_event (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id       TEXT NOT NULL UNIQUE,
    status         INTEGER NOT NULL DEFAULT 0,
    owner          INTEGER,
    claim          INTEGER NOT NULL DEFAULT 0,
    attempts       INTEGER NOT NULL DEFAULT 0,
    reclaims       INTEGER NOT NULL DEFAULT 0,
    partition_no   INTEGER NOT NULL DEFAULT 0,
    available_at   INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    occurred_at    INTEGER NOT NULL,
    done_at        INTEGER,
    event_type     TEXT NOT NULL,
    aggregate_type TEXT NOT NULL,
    aggregate_id   TEXT,
    event_key      TEXT,
    tenant_id      TEXT,
    headers        TEXT,
    payload        TEXT,
    payload_bytes  BLOB,
    progress       TEXT,
    last_error     TEXT
);

-- A new event that its node delivers at once is found by its id and in outbox_event_owner only.
CREATE INDEX IF NOT EXISTS outbox_event_due ON outbox_event (available_at, seq) WHERE owner IS NULL AND status IN (0, 2);
CREATE INDEX IF NOT EXISTS outbox_event_owner ON outbox_event (owner) WHERE owner IS NOT NULL;
CREATE INDEX IF NOT EXISTS outbox_event_done ON outbox_event (available_at) WHERE status = 1;
CREATE INDEX IF NOT EXISTS outbox_event_dead ON outbox_event (available_at, seq) WHERE status = 3;

CREATE TABLE IF NOT EXISTS outbox_node (
    node_id    INTEGER NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    beat_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    dead_at    INTEGER
);

CREATE TABLE IF NOT EXISTS outbox_partition (
    partition_no INTEGER NOT NULL PRIMARY KEY,
    owner        INTEGER,
    epoch        INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE IF NOT EXISTS outbox_meta (
    meta_name  TEXT NOT NULL PRIMARY KEY,
    meta_value TEXT NOT NULL
);

INSERT INTO outbox_meta (meta_name, meta_value) VALUES ('schema.version', '1'), ('schema.compatible', '1')
ON CONFLICT (meta_name) DO NOTHING;
