import * as z from 'zod'
import { type Queries, readRows, SELECT_SETTINGS } from '@counterfoil/engine'
import type { LedgerTable } from '@counterfoil/ledger'
import { compileTemplate, PLAIN_SELECT } from '../template/compile-template.ts'
import type { LoadedTemplate } from '../template/loaded-template.ts'
import { kindFaults } from './check-kinds.ts'
import { placeholderFaults } from './check-placeholders.ts'
import { checkTree, expectedNoAlias, NO_ROWS, type SqlFault } from './check-sql.ts'
import { type CheckedTokens, checkTokens } from './check-tokens.ts'
import { engineMessage } from './engine-message.ts'
import { examples, examplesAtFault, textsOf } from './examples.ts'
import type { Fault, Known } from './fault.ts'
import { type Piece, stagesOf } from './pieces.ts'
import { type CompleteQuery, completeQueries } from './complete-queries.ts'

/** A check runs each query once, over no rows. Threads and compiled expressions would cost more than they save. */
const ONE_RUN = { max_threads: 1, compile_expressions: 0, compile_aggregate_expressions: 0 }

/** The result of checking a report file. */
export interface CheckedTemplate {
  /** The tables that the report reads. */
  readonly tables: ReadonlySet<LedgerTable>
  /** One line for each fault: file, line, member and expected value. */
  readonly faults: readonly string[]
}

/**
 * Checks a report on an engine that has the ledger's tables, without reading a row. It first checks the tokens of each
 * piece, and then the complete queries of each role: with a value for each parameter, and with values for only those
 * parameters that always have one. If a complete query fails, it tries the pieces one by one to find the one at fault.
 */
export async function checkTemplate(
  { template, file, lineOf }: Omit<LoadedTemplate, 'text'>,
  known: Known,
  engine: Queries,
): Promise<CheckedTemplate> {
  const tables = new Set<LedgerTable>()
  const checked = (faults: readonly Fault[]): CheckedTemplate => {
    const lines = faults.map(({ path, expected }) => {
      return `${file}:${lineOf(path)}: ${z.core.toDotPath(path)}: ${expected}`
    })
    return { tables, faults: lines }
  }
  const texts = textsOf(template)
  const tryQuery = async ({ sql, hasValue }: CompleteQuery): Promise<readonly string[]> => {
    const parameters = examples(template, known, hasValue)
    try {
      const read = await checkTree(engine, { sql, parameters, texts }, known.refused)
      for (const table of read.tables) tables.add(table)
      const faults = [...read.faults, ...[...read.sharedAliases].map(expectedNoAlias)]
      if (faults.length > 0) return faults.map(toMessage)
      const settings = { ...SELECT_SETTINGS, ...NO_ROWS, ...ONE_RUN }
      await readRows(engine, z.unknown(), {
        sql: `${sql}\nLIMIT 0`,
        parameters,
        settings,
        role: 'report',
      })
      return []
    } catch (error) {
      return [engineMessage(error)]
    }
  }
  const stages = stagesOf(template)
  const pieces = stages.flat()
  const tokens = await checkTokens(engine, pieces)
  const early = [
    ...examplesAtFault(template, known),
    ...placeholderFaults(template, pieces, tokens),
    ...tokenFaults(pieces, tokens),
  ]
  if (early.length > 0) return checked(early)
  const badKinds = await kindFaults(template, known, engine)
  if (badKinds.length > 0) return checked(badKinds)

  for (const query of completeQueries(template)) {
    const wrong = await tryQuery(query)
    if (wrong.length === 0) continue
    for (const stage of stages) {
      const faults: Fault[] = []
      for (const { path, alone, hasValue } of stage) {
        const choice = { columns: alone.columns, hasValue, select: PLAIN_SELECT }
        const faulty = await tryQuery({ sql: compileTemplate(alone, choice), hasValue })
        faults.push(...faulty.map((expected) => ({ path, expected })))
      }
      if (faults.length > 0) return checked(faults)
    }
    return checked(wrong.map((expected) => ({ path: ['identifier'], expected })))
  }
  return checked([])
}

function tokenFaults(pieces: readonly Piece[], tokens: readonly CheckedTokens[]): readonly Fault[] {
  return pieces.flatMap(({ path }, index) => {
    const fault = tokens[index]?.fault
    return fault ? [{ path, expected: toMessage(fault) }] : []
  })
}

function toMessage({ expected }: SqlFault): string {
  return `expected ${expected}`
}
