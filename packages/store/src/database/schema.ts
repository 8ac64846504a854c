export const SCHEMA_VERSION = 1

/**
 * Times are milliseconds since 1970; the timestamps of nonces are seconds, `day` is days. `sees` is a JSON array.
 * `{keyed}` ends a table with a primary key of its own, `{numbered}` one whose rows a `{serial}`
 * numbers.
 */
const CREATE_TABLES = `
  CREATE TABLE logins (
    login {text} PRIMARY KEY,
    role {text} NOT NULL CHECK (role IN ('operator', 'manager', 'reseller', 'merchant')),
    sees {text} NOT NULL,
    body_hash_required {integer} NOT NULL,
    timezone {text},
    created_at {integer} NOT NULL,
    removed_at {integer}
  ) {keyed};

  CREATE TABLE keys (
    number {serial},
    key_id {text} NOT NULL UNIQUE,
    login {text} NOT NULL REFERENCES logins,
    method {text} NOT NULL CHECK (method IN ('RSA-SHA256', 'HMAC-SHA1')),
    fingerprint {text} NOT NULL UNIQUE,
    created_at {integer} NOT NULL,
    revoked_at {integer},
    pem {text},
    master_key_version {integer},
    iv {bytes},
    ciphertext {bytes},
    tag {bytes},
    CHECK ((pem IS NULL) <> (master_key_version IS NULL))
  ) {numbered};
  CREATE INDEX active_keys ON keys (login) WHERE revoked_at IS NULL;

  CREATE TABLE key_uses (key_id {text} PRIMARY KEY, last_used_at {integer} NOT NULL) {keyed};

  CREATE TABLE nonces (
    login {text} NOT NULL,
    timestamp {integer} NOT NULL,
    nonce {text} NOT NULL,
    PRIMARY KEY (login, timestamp, nonce)
  ) {keyed};
  CREATE TABLE forgotten_nonces (login {text} PRIMARY KEY, newest_timestamp {integer} NOT NULL) {keyed};

  CREATE TABLE operation_numbers (last {integer} NOT NULL) {numbered};
  INSERT INTO operation_numbers VALUES (0);

  CREATE TABLE operations (
    login {text} NOT NULL REFERENCES logins,
    client_order_id {text} NOT NULL,
    number {integer} NOT NULL UNIQUE,
    fields_hash {text} NOT NULL,
    key_version {integer} NOT NULL,
    answer {text} NOT NULL,
    PRIMARY KEY (login, client_order_id)
  ) {keyed};
  CREATE TABLE operation_counts (
    login {text} PRIMARY KEY,
    operations {integer} NOT NULL,
    day {integer} NOT NULL,
    of_day {integer} NOT NULL
  ) {keyed};

  CREATE TABLE ledger_entries (
    entry_id {serial},
    due_at {integer} NOT NULL,
    rows {text} NOT NULL,
    relayed_at {integer}
  ) {numbered};
  CREATE INDEX due_entries ON ledger_entries (due_at, entry_id) WHERE relayed_at IS NULL;
  CREATE INDEX relayed_entries ON ledger_entries (relayed_at) WHERE relayed_at IS NOT NULL;

  CREATE TABLE runs (
    number {serial},
    run_id {text} NOT NULL UNIQUE,
    login {text} NOT NULL,
    report {text} NOT NULL,
    ended_at {integer} NOT NULL,
    record {text} NOT NULL
  ) {numbered};
  CREATE INDEX runs_of_login ON runs (login, number);
  CREATE INDEX runs_of_report ON runs (report, number);
  CREATE INDEX runs_of_login_and_report ON runs (login, report, number);
  CREATE INDEX runs_by_end ON runs (ended_at);

  CREATE TABLE signing_keys (
    key_id {text} PRIMARY KEY,
    created_at {integer} NOT NULL,
    public_jwk {text} NOT NULL,
    master_key_version {integer} NOT NULL,
    iv {bytes} NOT NULL,
    ciphertext {bytes} NOT NULL,
    tag {bytes} NOT NULL
  ) {keyed};

  CREATE TABLE view_sessions (
    session_id {text} PRIMARY KEY,
    login {text} NOT NULL REFERENCES logins ON DELETE CASCADE,
    token_hash {text} NOT NULL UNIQUE,
    made_at {integer} NOT NULL,
    began_at {integer},
    expires_at {integer} NOT NULL
  ) {keyed};
  CREATE INDEX view_sessions_of_login ON view_sessions (login);
`

/** The tables in the order of their references, each with the column that numbers its rows. */
export const TABLES = [
  ...CREATE_TABLES.matchAll(/CREATE TABLE (\w+) \((?:\s*(\w+) \{serial\})?/g),
].map(([, table = '', numbering]) => ({ table, numbering }))

export const SQLITE_TABLES = `${nameTypes({
  text: 'TEXT',
  integer: 'INTEGER',
  bytes: 'BLOB',
  serial: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  keyed: 'STRICT, WITHOUT ROWID',
  numbered: 'STRICT',
})}
  CREATE TRIGGER operation_deleted AFTER DELETE ON operations BEGIN
    UPDATE operation_counts SET operations = operations - 1 WHERE login = old.login;
  END;`

export const POSTGRES_TABLES = `${nameTypes({
  text: 'text COLLATE "C"',
  integer: 'bigint',
  bytes: 'bytea',
  serial: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
})}
  CREATE FUNCTION count_deleted_operation() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    UPDATE operation_counts SET operations = operations - 1 WHERE login = OLD.login;
    RETURN NULL;
  END $$;
  CREATE TRIGGER operation_deleted AFTER DELETE ON operations
    FOR EACH ROW EXECUTE FUNCTION count_deleted_operation();`

function nameTypes(names: Readonly<Record<string, string>>): string {
  return CREATE_TABLES.replaceAll(/\{(\w+)\}/g, (_, type: string) => names[type] ?? '')
}
