import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { isLedgerTable, LEDGER_TABLES, type LedgerTable } from '@counterfoil/ledger'
import { LIMITS } from '@counterfoil/common'

/** Remembers across starts which report files passed their check. */
export interface ReportChecks {
  /** Returns the tables that a report file reads, or `undefined` if this checker has not passed this text. */
  readonly find: (text: string) => ReadonlySet<LedgerTable> | undefined
  readonly add: (text: string, tables: ReadonlySet<LedgerTable>) => void
}

/** Remembers nothing, so every report file is checked. */
export const NO_CHECKS: ReportChecks = { find: () => undefined, add: () => {} }

const VERSION = 1

const fileSchema = z.strictObject({
  version: z.literal(VERSION),
  /** By the hash of checker and text, the oldest first. */
  reports: z.record(
    z.string().regex(/^[0-9a-f]{64}$/),
    z.array(z.enum(Object.keys(LEDGER_TABLES).filter(isLedgerTable))),
  ),
})

type Remembered = Map<string, readonly LedgerTable[]>

/** The packages whose sources decide about a check: this one, and those that it uses. */
const CHECKER = ['protocol', 'common', 'engine', 'ledger', 'formats', 'templates']

/**
 * Opens the memory of checks in its own file (mode 0600). A broken file counts as empty.
 *
 * @param checker the result of {@link fingerprintChecker}: a check is valid only for its checker
 */
export function openReportChecks(file: string, checker: string): ReportChecks {
  const keyOf = (text: string): string => hash(checker, text)
  return {
    find: (text) => {
      const tables = readRemembered(file).get(keyOf(text))
      return tables && new Set(tables)
    },
    add: (text, tables) => {
      const remembered = readRemembered(file)
      remembered.set(keyOf(text), [...tables])
      write(file, [...remembered].slice(-LIMITS.rememberedChecksMax))
    },
  }
}

/**
 * Identifies everything that decides about a check, apart from the report's text: the engine, the ledger's tables, the
 * checker, and the runtime with its time zones. It hashes the source files, so it notices every change.
 */
export function fingerprintChecker(
  engine: string,
  folders: readonly string[] = CHECKER.map(sourceFolder),
): string {
  const sources = folders.flatMap((folder) => {
    const files = readdirSync(folder, { withFileTypes: true, recursive: true })
    return files
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => join(parentPath, name))
      .toSorted()
      .flatMap((file) => [relative(folder, file), readFileSync(file, 'utf8')])
  })
  return hash(engine, process.version, process.versions['tz'] ?? '', ...sources)
}

function sourceFolder(name: string): string {
  return dirname(fileURLToPath(import.meta.resolve(`@counterfoil/${name}`)))
}

function hash(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex')
}

function readRemembered(file: string): Remembered {
  try {
    return new Map(Object.entries(fileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).reports))
  } catch {
    return new Map()
  }
}

/** Replaces the file atomically. If that fails, the next start checks again. */
function write(file: string, remembered: readonly (readonly [string, readonly LedgerTable[]])[]) {
  const part = `${file}.${randomBytes(6).toString('hex')}.part`
  const content = { version: VERSION, reports: Object.fromEntries(remembered) }
  try {
    writeFileSync(part, `${JSON.stringify(content)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(part, file)
  } catch {
    rmSync(part, { force: true })
  }
}
