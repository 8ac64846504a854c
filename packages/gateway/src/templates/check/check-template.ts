import * as z from 'zod'
import { SELECT_SETTINGS } from '../../clickhouse/settings.ts'
import { type Engine, readRows } from '../../engine/engine.ts'
import type { LedgerTable } from '../../ledger/model.ts'
import { compileTemplate, PLAIN_SELECT } from '../compile-template.ts'
import type { LoadedTemplate } from '../template.ts'
import { kindFaults } from './check-kinds.ts'
import { placeholderFaults } from './check-placeholders.ts'
import { checkTree, expectedNoAlias, NO_ROWS, type SqlFault } from './check-sql.ts'
import { type CheckedWords, checkWords } from './check-words.ts'
import { examples, examplesAtFault, textsOf } from './examples.ts'
import type { Fault, Known } from './fault.ts'
import { type Piece, stagesOf } from './pieces.ts'
import { type Whole, wholesOf } from './wholes.ts'

/** A check runs a query once, over no rows: threads and machine code for it cost more than they save. */
const ONE_RUN = { max_threads: 1, compile_expressions: 0, compile_aggregate_expressions: 0 }

/** What was found out about a report file. */
export interface CheckedTemplate {
  /** The tables that it reads. */
  readonly tables: ReadonlySet<LedgerTable>
  /** A line for each fault: file, line, member, what was expected. */
  readonly faults: readonly string[]
}

/**
 * Checks a report on an engine that has the ledger's tables, without reading a row: the words of each piece, then the
 * whole as each role gets it, with a value for each parameter and with none but those that always have one.
 * Where a whole fails, its pieces are tried one by one, so that the fault is named where it is.
 */
export async function checkTemplate(
  { template, file, lineOf }: Omit<LoadedTemplate, 'text'>,
  known: Known,
  engine: Engine,
): Promise<CheckedTemplate> {
  const tables = new Set<LedgerTable>()
  const checked = (faults: readonly Fault[]): CheckedTemplate => {
    const lines = faults.map(({ path, expected }) => {
      return `${file}:${lineOf(path)}: ${z.core.toDotPath(path)}: ${expected}`
    })
    return { tables, faults: lines }
  }
  const texts = textsOf(template)
  const tryQuery = async ({ sql, hasValue }: Whole): Promise<readonly string[]> => {
    const parameters = examples(template, known, hasValue)
    try {
      const read = await checkTree(engine, { sql, parameters, texts }, known.refused)
      for (const table of read.tables) tables.add(table)
      const faults = [...read.faults, ...[...read.sharedAliases].map(expectedNoAlias)]
      if (faults.length > 0) return faults.map(inWords)
      const settings = { ...SELECT_SETTINGS, ...NO_ROWS, ...ONE_RUN }
      await readRows(engine, z.unknown(), {
        sql: `${sql}\nLIMIT 0`,
        parameters,
        settings,
        role: 'report',
      })
      return []
    } catch (error) {
      return [engineWords(error)]
    }
  }
  const stages = stagesOf(template)
  const pieces = stages.flat()
  const words = await checkWords(engine, pieces)
  const early = [
    ...examplesAtFault(template, known),
    ...placeholderFaults(template, pieces, words),
    ...wordFaults(pieces, words),
  ]
  if (early.length > 0) return checked(early)
  const badKinds = await kindFaults(template, known, engine)
  if (badKinds.length > 0) return checked(badKinds)

  for (const whole of wholesOf(template)) {
    const wrong = await tryQuery(whole)
    if (wrong.length === 0) continue
    for (const stage of stages) {
      const faults: Fault[] = []
      for (const { path, alone, hasValue } of stage) {
        const choice = { columns: alone.columns, hasValue, select: PLAIN_SELECT }
        const found = await tryQuery({ sql: compileTemplate(alone, choice), hasValue })
        faults.push(...found.map((expected) => ({ path, expected })))
      }
      if (faults.length > 0) return checked(faults)
    }
    return checked(wrong.map((expected) => ({ path: ['identifier'], expected })))
  }
  return checked([])
}

function wordFaults(pieces: readonly Piece[], words: readonly CheckedWords[]): readonly Fault[] {
  return pieces.flatMap(({ path }, index) => {
    const fault = words[index]?.fault
    return fault ? [{ path, expected: inWords(fault) }] : []
  })
}

function inWords({ expected }: SqlFault): string {
  return `expected ${expected}`
}

/** What the engine said, in one line, without its address book of codes and stack traces. */
function engineWords(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const said = cause instanceof Error ? cause.message : String(cause)
  const words = /DB::Exception: (.*?)(?: In scope SELECT| in scope SELECT|\. \([A-Z_]+\)|$)/s.exec(
    said,
  )
  return (words?.[1] ?? said).replaceAll(/\s+/g, ' ').trim()
}
