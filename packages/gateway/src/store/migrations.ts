/**
 * The steps from an empty SQLite file to today's tables; the file's `user_version` counts those that were taken.
 * A step that was released is never changed: the next one changes what it made.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE consumers (
    login TEXT PRIMARY KEY,
    role TEXT NOT NULL,
    sees TEXT NOT NULL,
    body_hash_required INTEGER NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE keys (
    key_id TEXT PRIMARY KEY,
    login TEXT NOT NULL REFERENCES consumers,
    method TEXT NOT NULL,
    fingerprint TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER,
    pem TEXT,
    master_key_version INTEGER,
    iv BLOB,
    ciphertext BLOB,
    tag BLOB,
    CHECK ((pem IS NULL) <> (master_key_version IS NULL))
  ) STRICT;
  CREATE INDEX live_keys ON keys (login) WHERE revoked_at IS NULL;

  CREATE TABLE nonces (
    timestamp INTEGER NOT NULL,
    login TEXT NOT NULL,
    nonce TEXT NOT NULL,
    PRIMARY KEY (timestamp, login, nonce)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE forgotten_nonces (newest_timestamp INTEGER NOT NULL) STRICT;
  INSERT INTO forgotten_nonces VALUES (-1);
  CREATE TRIGGER forget AFTER DELETE ON nonces BEGIN
    UPDATE forgotten_nonces SET newest_timestamp = max(newest_timestamp, old.timestamp);
  END;
  `,
  `
  CREATE TABLE operation_numbers (last INTEGER NOT NULL) STRICT;
  INSERT INTO operation_numbers VALUES (0);

  CREATE TABLE operations (
    login TEXT NOT NULL REFERENCES consumers,
    client_order_id TEXT NOT NULL,
    number INTEGER NOT NULL UNIQUE,
    fields_hash TEXT NOT NULL,
    key_version INTEGER NOT NULL,
    answer TEXT NOT NULL,
    PRIMARY KEY (login, client_order_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE ledger_entries (
    entry_id INTEGER PRIMARY KEY,
    due_at INTEGER NOT NULL,
    rows TEXT NOT NULL,
    brought_at INTEGER
  ) STRICT;
  CREATE INDEX due_entries ON ledger_entries (due_at) WHERE brought_at IS NULL;
  CREATE INDEX brought_entries ON ledger_entries (brought_at) WHERE brought_at IS NOT NULL;
  `,
]
