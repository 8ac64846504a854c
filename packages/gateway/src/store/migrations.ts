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
  // What is forgotten is kept for each login: one login's clock no longer shuts out another one.
  // Each change of a login or a key has a number, so that a gateway reads again only what has changed.
  `
  DROP TRIGGER forget;
  ALTER TABLE nonces RENAME TO nonces_by_timestamp;
  CREATE TABLE nonces (
    login TEXT NOT NULL,
    timestamp INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    PRIMARY KEY (login, timestamp, nonce)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO nonces SELECT login, timestamp, nonce FROM nonces_by_timestamp;
  DROP TABLE nonces_by_timestamp;

  ALTER TABLE forgotten_nonces RENAME TO newest_forgotten;
  CREATE TABLE forgotten_nonces (
    login TEXT PRIMARY KEY,
    newest_timestamp INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO forgotten_nonces
    SELECT login, newest_timestamp FROM newest_forgotten,
      (SELECT login FROM consumers UNION SELECT login FROM nonces) WHERE newest_timestamp >= 0;
  DROP TABLE newest_forgotten;
  CREATE TRIGGER forget AFTER DELETE ON nonces BEGIN
    INSERT INTO forgotten_nonces VALUES (old.login, old.timestamp)
      ON CONFLICT (login) DO UPDATE SET newest_timestamp = max(newest_timestamp, excluded.newest_timestamp);
  END;

  CREATE TABLE credential_changes (change INTEGER PRIMARY KEY, login TEXT NOT NULL) STRICT;
  CREATE TRIGGER consumer_added AFTER INSERT ON consumers BEGIN
    INSERT INTO credential_changes (login) VALUES (new.login);
  END;
  CREATE TRIGGER consumer_changed AFTER UPDATE ON consumers BEGIN
    INSERT INTO credential_changes (login) VALUES (old.login), (new.login);
  END;
  CREATE TRIGGER consumer_removed AFTER DELETE ON consumers BEGIN
    INSERT INTO credential_changes (login) VALUES (old.login);
  END;
  CREATE TRIGGER key_added AFTER INSERT ON keys BEGIN
    INSERT INTO credential_changes (login) VALUES (new.login);
  END;
  CREATE TRIGGER key_changed AFTER UPDATE ON keys BEGIN
    INSERT INTO credential_changes (login) VALUES (old.login), (new.login);
  END;
  CREATE TRIGGER key_removed AFTER DELETE ON keys BEGIN
    INSERT INTO credential_changes (login) VALUES (old.login);
  END;
  `,
  // A nonce may be a card number. What was spent before stays spent.
  'UPDATE nonces SET nonce = hash_nonce(login, timestamp, nonce)',
  // The records of runs, and the keys that sign them.
  `
  CREATE TABLE runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL UNIQUE,
    login TEXT NOT NULL,
    report TEXT NOT NULL,
    ended_at INTEGER NOT NULL,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runs_of_login ON runs (login, number);
  CREATE INDEX runs_of_report ON runs (report, number);
  CREATE INDEX runs_of_login_and_report ON runs (login, report, number);
  CREATE INDEX runs_by_end ON runs (ended_at);

  CREATE TABLE signing_keys (
    key_id TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    public_jwk TEXT NOT NULL,
    master_key_version INTEGER NOT NULL,
    iv BLOB NOT NULL,
    ciphertext BLOB NOT NULL,
    tag BLOB NOT NULL
  ) STRICT;
  `,
  // View sessions of the console, and the links that begin them.
  `
  CREATE TABLE view_sessions (
    session_id TEXT PRIMARY KEY,
    login TEXT NOT NULL REFERENCES consumers ON DELETE CASCADE,
    token_hash TEXT NOT NULL UNIQUE,
    made_at INTEGER NOT NULL,
    began_at INTEGER,
    expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX view_sessions_of_login ON view_sessions (login);
  `,
  // A name that says what it is: when the relay wrote the entry to the ledger.
  `
  ALTER TABLE ledger_entries RENAME COLUMN brought_at TO relayed_at;
  DROP INDEX brought_entries;
  CREATE INDEX relayed_entries ON ledger_entries (relayed_at) WHERE relayed_at IS NOT NULL;
  `,
  // How many operations each login has. The outbox counts a new one. An operator may delete some by hand.
  `
  CREATE TABLE operation_counts (
    login TEXT PRIMARY KEY,
    operations INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO operation_counts SELECT login, count(*) FROM operations GROUP BY login;
  CREATE TRIGGER operation_removed AFTER DELETE ON operations BEGIN
    UPDATE operation_counts SET operations = operations - 1 WHERE login = old.login;
  END;
  `,
  // The time zone of a login's reports. NULL: the gateway's.
  'ALTER TABLE consumers ADD COLUMN timezone TEXT',
  // Removed logins, the last use of each key, and how many operations each login has on one day: a day since 1970.
  `
  ALTER TABLE consumers ADD COLUMN removed_at INTEGER;
  CREATE TABLE key_uses (key_id TEXT PRIMARY KEY, last_used_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  ALTER TABLE operation_counts ADD COLUMN day INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE operation_counts ADD COLUMN of_day INTEGER NOT NULL DEFAULT 0;
  `,
]
