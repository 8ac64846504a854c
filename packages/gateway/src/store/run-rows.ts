import * as z from 'zod'
import type { ListedRun, ListedRuns, RunQuery, StoredSigningKey } from './run-store.ts'

const instant = z.coerce.number().transform((ms) => new Date(ms))
const bytes = z.instanceof(Uint8Array).transform((value) => Uint8Array.from(value))

const runRow = z
  .object({
    number: z.coerce.number(),
    run_id: z.string(),
    login: z.string(),
    report: z.string(),
    ended_at: instant,
    record: z.string(),
  })
  .transform(
    (row): ListedRun => ({
      number: row.number,
      runId: row.run_id,
      login: row.login,
      reportIdentifier: row.report,
      endedAt: row.ended_at,
      record: row.record,
    }),
  )

const signingKeyRow = z
  .object({
    key_id: z.string(),
    created_at: instant,
    public_jwk: z.string(),
    master_key_version: z.int(),
    iv: bytes,
    ciphertext: bytes,
    tag: bytes,
  })
  .transform(
    (row): StoredSigningKey => ({
      keyId: row.key_id,
      createdAt: row.created_at,
      publicJwk: row.public_jwk,
      sealed: {
        masterKeyVersion: row.master_key_version,
        iv: row.iv,
        ciphertext: row.ciphertext,
        tag: row.tag,
      },
    }),
  )

/** Reads a row of the table `runs`. */
export function readRun(row: unknown): ListedRun {
  return runRow.parse(row)
}

/** Reads rows of the table `runs` until the limits of a list. */
export function listRuns(
  rows: Iterable<unknown>,
  { limit, bytesMax }: Pick<RunQuery, 'bytesMax' | 'limit'>,
): ListedRuns {
  const runs: ListedRun[] = []
  let listedBytes = 0
  for (const row of rows) {
    const run = readRun(row)
    listedBytes += Buffer.byteLength(run.record)
    if (runs.length === limit || (runs.length > 0 && listedBytes > bytesMax)) {
      return { runs, hasMore: true }
    }
    runs.push(run)
  }
  return { runs, hasMore: false }
}

/** Reads a row of the table `signing_keys`. */
export function readSigningKey(row: unknown): StoredSigningKey {
  return signingKeyRow.parse(row)
}

/** Returns the values of a row of the table `signing_keys`, in the order of its columns. */
export function signingKeyColumns({ keyId, createdAt, publicJwk, sealed }: StoredSigningKey) {
  const { masterKeyVersion, iv, ciphertext, tag } = sealed
  return [keyId, createdAt.getTime(), publicJwk, masterKeyVersion, iv, ciphertext, tag] as const
}
