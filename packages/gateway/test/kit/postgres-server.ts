import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { PostgresSettings } from '../../../store/src/database/postgres-database.ts'
import { makeCertificate } from '../../../client/test/make-certificate.ts'
import { freePort } from './free-port.ts'
import { createPostgres } from './postgres-process.ts'

/** A PostgreSQL server of a test file. */
export interface PostgresServer {
  /** The settings of a gateway whose store is in this server. */
  readonly settings: PostgresSettings
  /** Holds all files of the server. */
  readonly folder: string
  /** PEM file of the server's certificate, which is valid for 127.0.0.1 only. */
  readonly certificate: string
  /** Opens a connection that belongs to the test. */
  connect(): Promise<pg.Client>
  /** Runs one statement on a connection of its own. */
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Removes the store. */
  clear(): Promise<void>
  /** Removes the rows of the store, and keeps its tables, which take longer to make. */
  empty(): Promise<void>
  /** Stops the server as an administrator does: connections end at once. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Stops the server, and removes its files. */
  remove(): Promise<void>
}

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
export async function startPostgres(): Promise<PostgresServer> {
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
  const url = `postgres://${user}@127.0.0.1:${port}/${database}`
  return {
    settings: { url, passwordFile },
    folder,
    certificate: join(folder, 'data', CERTIFICATE),
    connect,
    query: run,
    clear: () => clean('DROP SCHEMA IF EXISTS counterfoil CASCADE'),
    empty: () => clean(EMPTY),
    stop: () => server.stop(),
    start: () => server.start(),
    remove: async () => {
      await cleaner?.end()
      await server.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Makes a self-signed certificate that PostgreSQL's user can read. */
async function makeOwnCertificate(folder: string): Promise<void> {
  await makeCertificate(folder, 'server', { name: 'server' })
  const { uid, gid } = statSync(folder)
  for (const file of [KEY, CERTIFICATE]) chownSync(join(folder, file), uid, gid)
}
