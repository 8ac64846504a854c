import * as z from 'zod'
import { GatewayError } from '../errors.ts'
import { LOCKS, type PostgresDatabase, type Query } from './postgres-database.ts'
import { SCHEMA } from './postgres-settings.ts'

const migrationsRow = z.object({ done: z.int() })

/**
 * The steps from an empty schema to today's tables. The table `migrations` counts those that were taken. A step that
 * was released is never changed: the next one changes what it made. Times are milliseconds since 1970.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE logins (
    login text PRIMARY KEY,
    role text NOT NULL,
    sees text NOT NULL,
    body_hash_required integer NOT NULL,
    created_at bigint NOT NULL
  );

  CREATE TABLE keys (
    number bigint GENERATED ALWAYS AS IDENTITY,
    key_id text PRIMARY KEY,
    login text NOT NULL REFERENCES logins,
    method text NOT NULL,
    fingerprint text NOT NULL UNIQUE,
    created_at bigint NOT NULL,
    revoked_at bigint,
    pem text,
    master_key_version integer,
    iv bytea,
    ciphertext bytea,
    tag bytea,
    CHECK ((pem IS NULL) <> (master_key_version IS NULL))
  );
  CREATE INDEX active_keys ON keys (login) WHERE revoked_at IS NULL;

  -- The newest change of each login and its keys, so that a gateway reads again only what has changed.
  CREATE SEQUENCE credential_change_numbers;
  CREATE TABLE credential_changes (login text PRIMARY KEY, change bigint NOT NULL UNIQUE);
  CREATE FUNCTION note_credential_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    -- A reader that sees a number has seen every lower one: the next transaction gets its number after this commit.
    PERFORM pg_advisory_xact_lock(1668248942, 2);
    INSERT INTO credential_changes
      SELECT login, nextval('credential_change_numbers')
      FROM (SELECT OLD.login UNION SELECT NEW.login) AS changed (login) WHERE login IS NOT NULL
      ON CONFLICT (login) DO UPDATE SET change = excluded.change;
    RETURN NULL;
  END $$;
  CREATE TRIGGER login_changed AFTER INSERT OR UPDATE OR DELETE ON logins
    FOR EACH ROW EXECUTE FUNCTION note_credential_change();
  CREATE TRIGGER key_changed AFTER INSERT OR UPDATE OR DELETE ON keys
    FOR EACH ROW EXECUTE FUNCTION note_credential_change();

  CREATE TABLE nonces (
    login text NOT NULL,
    timestamp bigint NOT NULL,
    nonce text NOT NULL,
    PRIMARY KEY (login, timestamp, nonce)
  );
  CREATE TABLE forgotten_nonces (login text PRIMARY KEY, newest_timestamp bigint NOT NULL);

  -- It must run at the isolation level "read committed": each statement sees what was committed before it.
  CREATE FUNCTION spend_nonce(
    spender text, spent_timestamp bigint, spent_nonce text, forgotten_up_to bigint, forgotten_max integer
  ) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
    is_new boolean;
    newest_forgotten bigint;
  BEGIN
    -- Waits for a transaction that spends or forgets the same nonce.
    INSERT INTO nonces VALUES (spender, spent_timestamp, spent_nonce) ON CONFLICT DO NOTHING;
    is_new := FOUND;
    -- After the insert: who forgot this nonce before the insert has raised the newest timestamp by now.
    SELECT newest_timestamp INTO newest_forgotten FROM forgotten_nonces WHERE login = spender;
    IF newest_forgotten >= spent_timestamp THEN
      IF is_new THEN
        DELETE FROM nonces
          WHERE login = spender AND timestamp = spent_timestamp AND nonce = spent_nonce;
      END IF;
      RETURN 'expired';
    END IF;
    IF NOT is_new THEN RETURN 'replayed'; END IF;
    WITH old AS MATERIALIZED (
      SELECT timestamp, nonce FROM nonces WHERE login = spender AND timestamp <= forgotten_up_to
      ORDER BY timestamp LIMIT forgotten_max FOR UPDATE SKIP LOCKED
    ), forgotten AS (
      DELETE FROM nonces USING old
      WHERE nonces.login = spender AND nonces.timestamp = old.timestamp AND nonces.nonce = old.nonce
      RETURNING nonces.timestamp
    )
    INSERT INTO forgotten_nonces
      SELECT spender, max(timestamp) FROM forgotten HAVING count(*) > 0
      ON CONFLICT (login) DO UPDATE SET
        newest_timestamp = greatest(forgotten_nonces.newest_timestamp, excluded.newest_timestamp);
    RETURN 'spent';
  END $$;

  -- One row, whose lock makes operations follow one another.
  CREATE TABLE operation_numbers (last bigint NOT NULL);
  INSERT INTO operation_numbers VALUES (0);

  CREATE TABLE operations (
    login text NOT NULL REFERENCES logins,
    client_order_id text NOT NULL,
    number bigint NOT NULL UNIQUE,
    fields_hash text NOT NULL,
    key_version integer NOT NULL,
    answer text NOT NULL,
    PRIMARY KEY (login, client_order_id)
  );

  CREATE TABLE ledger_entries (
    entry_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    due_at bigint NOT NULL,
    rows text NOT NULL,
    relayed_at bigint
  );
  CREATE INDEX due_entries ON ledger_entries (due_at, entry_id) WHERE relayed_at IS NULL;
  CREATE INDEX relayed_entries ON ledger_entries (relayed_at) WHERE relayed_at IS NOT NULL;
  `,
  `
  CREATE TABLE runs (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id text NOT NULL UNIQUE,
    login text NOT NULL,
    report text NOT NULL,
    ended_at bigint NOT NULL,
    record text NOT NULL
  );
  CREATE INDEX runs_of_login ON runs (login, number);
  CREATE INDEX runs_of_report ON runs (report, number);
  CREATE INDEX runs_of_login_and_report ON runs (login, report, number);
  CREATE INDEX runs_by_end ON runs (ended_at);

  CREATE TABLE signing_keys (
    key_id text PRIMARY KEY,
    created_at bigint NOT NULL,
    public_jwk text NOT NULL,
    master_key_version integer NOT NULL,
    iv bytea NOT NULL,
    ciphertext bytea NOT NULL,
    tag bytea NOT NULL
  );
  `,
  `
  CREATE TABLE view_sessions (
    session_id text PRIMARY KEY,
    login text NOT NULL REFERENCES logins ON DELETE CASCADE,
    token_hash text NOT NULL UNIQUE,
    made_at bigint NOT NULL,
    began_at bigint,
    expires_at bigint NOT NULL
  );
  CREATE INDEX view_sessions_of_login ON view_sessions (login);
  `,
  `
  -- How many operations each login has. The outbox counts a new one. An administrator may delete some by hand.
  CREATE TABLE operation_counts (login text PRIMARY KEY, operations bigint NOT NULL);
  INSERT INTO operation_counts SELECT login, count(*) FROM operations GROUP BY login;

  -- It must run at the isolation level "read committed": each statement sees what was committed before it.
  CREATE FUNCTION begin_operation(of_login text, of_client_order_id text)
  RETURNS TABLE (last bigint, operations bigint, fields_hash text, key_version integer, answer text)
  LANGUAGE plpgsql AS $$
  BEGIN
    -- Operations follow one another on all gateways: the look-up sees the operations of requests before this one.
    PERFORM 1 FROM operation_numbers FOR UPDATE;
    RETURN QUERY
      SELECT numbers.last + 1, coalesce(counts.operations, 0), known.fields_hash, known.key_version, known.answer
      FROM operation_numbers AS numbers
      LEFT JOIN operation_counts AS counts ON counts.login = of_login
      LEFT JOIN operations AS known
        ON known.login = of_login AND known.client_order_id = of_client_order_id;
  END $$;

  CREATE FUNCTION count_removed_operations() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    IF TG_OP = 'TRUNCATE' THEN
      DELETE FROM operation_counts;
    ELSE
      UPDATE operation_counts SET operations = operation_counts.operations - gone.operations
        FROM (SELECT login, count(*) AS operations FROM removed GROUP BY login) AS gone
        WHERE operation_counts.login = gone.login;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER operations_removed AFTER DELETE ON operations
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_removed_operations();
  CREATE TRIGGER operations_emptied AFTER TRUNCATE ON operations
    FOR EACH STATEMENT EXECUTE FUNCTION count_removed_operations();
  `,
  // The time zone of a login's reports. NULL: the gateway's.
  'ALTER TABLE logins ADD COLUMN IF NOT EXISTS timezone text',
  `
  -- Removed logins, the last use of each key, and how many operations each login has on one day: a day since 1970.
  ALTER TABLE logins ADD COLUMN removed_at bigint;
  CREATE TABLE key_uses (key_id text PRIMARY KEY, last_used_at bigint NOT NULL);
  ALTER TABLE operation_counts ADD COLUMN day bigint NOT NULL DEFAULT 0, ADD COLUMN of_day bigint NOT NULL DEFAULT 0;

  DROP FUNCTION begin_operation;
  -- It must run at the isolation level "read committed": each statement sees what was committed before it.
  CREATE FUNCTION begin_operation(of_login text, of_client_order_id text, of_this_day bigint)
  RETURNS TABLE (
    last bigint, operations bigint, of_day bigint, fields_hash text, key_version integer, answer text
  )
  LANGUAGE plpgsql AS $$
  BEGIN
    -- Operations follow one another on all gateways: the look-up sees the operations of requests before this one.
    PERFORM 1 FROM operation_numbers FOR UPDATE;
    RETURN QUERY
      SELECT numbers.last + 1, coalesce(counts.operations, 0),
        CASE WHEN counts.day = of_this_day THEN counts.of_day ELSE 0 END,
        known.fields_hash, known.key_version, known.answer
      FROM operation_numbers AS numbers
      LEFT JOIN operation_counts AS counts ON counts.login = of_login
      LEFT JOIN operations AS known
        ON known.login = of_login AND known.client_order_id = of_client_order_id;
  END $$;
  `,
]

/**
 * Creates or migrates the tables of the store. Gateways that start together wait for each other.
 *
 * @param database has no time-outs, because a migration may take long
 * @throws {GatewayError} `store` if a newer gateway has migrated the store
 */
export async function migratePostgres(database: PostgresDatabase): Promise<void> {
  await database.transaction(async (query) => {
    const done = await readVersion(query)
    if (done > MIGRATIONS.length) {
      const message = `The store has version ${done}, of a newer gateway`
      const readable = `This gateway reads versions up to ${MIGRATIONS.length}`
      throw new GatewayError('store', `${message}. ${readable}`)
    }
    if (done === MIGRATIONS.length) return
    for (const step of MIGRATIONS.slice(done)) await query(step)
    await query('UPDATE migrations SET done = $1', [MIGRATIONS.length])
  }, LOCKS.migrations)
}

async function readVersion(query: Query): Promise<number> {
  const [schema] = await query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [SCHEMA])
  // An administrator may have created the schema for a user that may not.
  if (!schema) await query(`CREATE SCHEMA ${SCHEMA}`)
  const [table] = await query("SELECT 1 WHERE to_regclass('migrations') IS NOT NULL")
  if (!table) await query('CREATE TABLE migrations AS SELECT 0 AS done')
  const [row] = await query('SELECT done FROM migrations')
  return migrationsRow.parse(row).done
}
