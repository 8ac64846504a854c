import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { PostgresSettings } from '../../../store/src/database/postgres-database.ts'
import { makeCertificate } from '../../../client/test/make-certificate.ts'
import { freePort } from './free-port.ts'
import { createPostgres } from './postgres-process.ts'

const [user, password, database] = ['gateway', 'not/a secret', 'payments']

const [CERTIFICATE, KEY] = ['server.pem', 'server.key']
const FLAGS = [
  'shared_buffers=16MB',
  'unix_socket_directories=',
  'ssl=on',
  `ssl_cert_file=${CERTIFICATE}`,
].flatMap((flag) => ['-c', flag])

/** Without triggers, which count rows, and without the order that foreign keys ask for. */
const EMPTY = `DO $$
  DECLARE
    name text;
  BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'counterfoil' LOOP
      IF name = 'operation_numbers' THEN
        UPDATE counterfoil.operation_numbers SET last = 0;
      ELSIF name <> 'schema_version' THEN
        EXECUTE format('DELETE FROM counterfoil.%I', name);
      END IF;
    END LOOP;
  END $$`

/** Starts a PostgreSQL server with an empty database. */
export async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  const port = await freePort()
  const server = await createPostgres(folder, { port, user, password, flags: FLAGS })
  await makeOwnCertificate(join(folder, 'data'))
  await server.start()
  const connect = async (to: string = database): Promise<pg.Client> => {
    const options = '-c search_path=counterfoil'
    const client = new pg.Client({ host: '127.0.0.1', port, user, password, database: to, options })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  const run = async (sql: string, to?: string) => {
    const client = await connect(to)
    const { rows } = await client.query(sql).finally(() => client.end())
    return rows
  }
  await run(`CREATE DATABASE ${database}`, 'postgres')
  // A new connection costs PostgreSQL a process.
  let cleaner: pg.Client | undefined
  const clean = async (sql: string): Promise<void> => {
    cleaner ??= (await connect()).on('end', () => (cleaner = undefined))
    await cleaner.query(sql)
  }
  const settings: PostgresSettings = {
    url: `postgres://${user}@127.0.0.1:${port}/${database}`,
    passwordFile,
  }
  return {
    /** The settings of a gateway whose store is in this server. */
    settings,
    folder,
    /** PEM file of the server's certificate, which is valid for 127.0.0.1 only. */
    certificate: join(folder, 'data', CERTIFICATE),
    /** Opens a connection that belongs to the test. */
    connect: () => connect(),
    /** Runs one statement on a connection of its own. */
    query: (sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> => run(sql),
    /** Removes the store. */
    clear: () => clean('DROP SCHEMA IF EXISTS counterfoil CASCADE'),
    /** Removes the rows of the store, and keeps its tables, which take longer to make. */
    empty: () => clean(EMPTY),
    /** Stops the server as an administrator does: connections end at once. */
    stop: () => server.stop(),
    start: () => server.start(),
    remove: async () => {
      await cleaner?.end()
      await server.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** A PostgreSQL server of a test file. */
export type PostgresServer = Readonly<Awaited<ReturnType<typeof startPostgres>>>

/** Makes a self-signed certificate that PostgreSQL's user can read. */
async function makeOwnCertificate(folder: string): Promise<void> {
  await makeCertificate(folder, 'server', { name: 'server' })
  const { uid, gid } = statSync(folder)
  for (const file of [KEY, CERTIFICATE]) chownSync(join(folder, file), uid, gid)
}
