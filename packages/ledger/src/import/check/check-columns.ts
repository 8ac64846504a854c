import {
  isIdColumn,
  LEDGER_TABLES,
  type LedgerColumns,
  type LedgerTable,
} from '../../model/model.ts'
import {
  type CardSearch,
  defineCards,
  IN_ID,
  IN_IDENTIFIER,
  IN_TEXT,
  type SearchedColumn,
} from './card-numbers.ts'
import { type ColumnKind, kindOf, type CheckContext } from './column-kinds.ts'
import { isFilled, isRequired } from '../table-rules.ts'
import { isCut } from './times.ts'
import { literal, literals } from '@counterfoil/engine'

/** Converts rows of text to rows of the ledger, in SQL. */
export type RowCheck = ReturnType<typeof checkColumns>

interface Fault {
  /** SQL: whether the row has this fault; never NULL. */
  readonly when: string
  readonly reason: string
}

// Identifiers of a merchant, a bank or a processor, where long numbers are common (docs/own-data.md, "Card numbers").
const IDENTIFIERS: ReadonlySet<string> = new Set([
  'client_order_id',
  'processor_tx_id',
  'card_ref_id',
  'approval_code',
  'rrn',
  'arn',
  'phone',
  'login',
])

const NO_CARD = ': expected no card number. If these are ids of your own, list '

// The fraction digits of amounts in the ledger.
const SCALE = 4

/** Builds the checks of every column of a table. The rows have the `present` ones, as texts. */
export function checkColumns(
  table: LedgerTable,
  present: ReadonlySet<string>,
  context: CheckContext,
) {
  const ledger: LedgerColumns = LEDGER_TABLES[table]
  const texts: string[] = []
  const definitions: (readonly string[])[] = []
  const faults: Fault[] = []
  const searched: SearchedColumn[] = []
  const times: string[] = []
  for (const [name, column] of Object.entries(ledger)) {
    if (!present.has(name)) continue
    const kind = kindOf(table, name, column, context)
    if (column.type.includes('DateTime64')) times.push(name)
    texts.push(`${textOf(name, kind)} AS text_${name}`)
    definitions.push(kind.define(name))
    faults.push(...valueFaults(ledger, name, kind), ...reservedFaults(name, context))
    const search = searchOf(name, kind)
    const isExempt = context.source.notCardNumbers.includes(name)
    if (search !== undefined && !isExempt) searched.push({ name, search })
  }
  const money = checkMoney(ledger, present, context)
  const updated = `toUnixTimestamp64Milli(${valueOf(ledger, present, 'updated_at')})`
  const version = `${context.version ?? updated} AS value_row_version`
  const isUnversioned = 'row_version' in ledger && !present.has('row_version')
  const others: readonly Fault[] = [...faults, ...money.faults]
  const whens = others.map(({ when }) => when)
  const [longTexts, cards] = defineCards(searched)
  const derived = [...money.definitions, ...(isUnversioned ? [version] : []), longTexts]
  const last = [`[${whens.join(',\n')}] AS faults`, cards]
  return {
    /** Definitions in layers. Each layer uses the layers below it (`selectLayers`). */
    layers: [texts, ...layersOf(definitions), derived, last],
    /** The value of each ledger column. */
    values: Object.keys(ledger).map((name) => valueOf(ledger, present, name)),
    /** Whether a time of the row loses digits after its milliseconds. */
    isCut: times.length === 0 ? '0' : `ifNull(or(0, ${times.map(isCut).join(', ')}), 0)`,
    /** Over the columns `faults` and `cards` of the last layer: what is expected of each column with a fault. */
    reasons: `arrayConcat(
      arrayFilter((reason, isSo) -> isSo, ${literals(others.map(({ reason }) => reason))}, faults),
      arrayMap(name -> concat(name, ${literal(NO_CARD)}, name, ' under notCardNumbers in the head of the source'), cards))`,
  }
}

const OWN_ID_COLUMNS: ReadonlySet<string> = new Set(['transaction_id', 'order_id'])

function reservedFaults(name: string, { reservedIds }: CheckContext): readonly Fault[] {
  if (reservedIds === undefined || !OWN_ID_COLUMNS.has(name)) return []
  const { first, last } = reservedIds
  const reason = `${name}: expected an id outside ${first} to ${last}, the ids of this sandbox's form operations`
  return [
    {
      when: `ifNull(length(value_${name}) = ${String(first).length} AND value_${name} BETWEEN '${first}' AND '${last}', 0)`,
      reason,
    },
  ]
}

function searchOf(name: string, { isText }: ColumnKind): CardSearch | undefined {
  if (IDENTIFIERS.has(name)) return IN_IDENTIFIER
  if (isIdColumn(name)) return IN_ID
  return isText ? IN_TEXT : undefined
}

/** Transposes definitions: the first step of every column, then the second steps, and so on. */
function layersOf(definitions: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const depth = Math.max(...definitions.map(({ length }) => length))
  return Array.from({ length: depth }, (_, at) => definitions.flatMap((steps) => steps[at] ?? []))
}

/** SQL: the text of a column. NULL if it has no value. */
function textOf(name: string, { isText }: ColumnKind): string {
  const raw = rawColumn(name)
  // A name is selected, but may be empty.
  if (name === 'name') return `ifNull(${raw}, '')`
  return isText ? raw : `nullIf(${raw}, '')`
}

export function rawColumn(name: string): string {
  return `raw_${name}`
}

function valueOf(ledger: LedgerColumns, present: ReadonlySet<string>, name: string): string {
  if (name === 'row_version') return 'assumeNotNull(value_row_version)'
  if (!isFilled(ledger, name)) {
    return present.has(name) ? `value_${name}` : `CAST(NULL AS ${ledger[name]?.type})`
  }
  const instead = ledger[name]?.instead
  if (instead === undefined) return `assumeNotNull(value_${name})`
  const other = instead === '' ? "''" : valueOf(ledger, present, instead)
  return present.has(name) ? `ifNull(value_${name}, ${other})` : other
}

// Comparisons, because the engine takes ten times as long to prepare an `AND`.
function valueFaults(ledger: LedgerColumns, name: string, kind: ColumnKind): readonly Fault[] {
  const when = `isNull(value_${name}) > isNull(text_${name})`
  const invalid = { when, reason: `${name}: ${kind.expected}` }
  if (!isRequired(ledger, name) && name !== 'row_version') return [invalid]
  return [{ when: `isNull(text_${name})`, reason: `${name}: expected a value` }, invalid]
}

/** Checks amounts against the fraction digits of their currencies. */
function checkMoney(
  ledger: LedgerColumns,
  present: ReadonlySet<string>,
  { currencies }: CheckContext,
): { readonly definitions: readonly string[]; readonly faults: readonly Fault[] } {
  const amounts = Object.entries(ledger).flatMap(([name, { moneyIn }]) => {
    return moneyIn === undefined || !present.has(name) ? [] : [{ name, moneyIn }]
  })
  const codes = literals(currencies.map(({ currency }) => currency))
  // The smallest unit of each currency, in the smallest unit of the ledger.
  const steps = `[${currencies.map(({ exponent }) => 10 ** (SCALE - exponent)).join(', ')}]`
  const used = [...new Set(amounts.map(({ moneyIn }) => moneyIn))].filter((name) => {
    return present.has(name)
  })
  const definitions = used.map((currency) => {
    return `transform(ifNull(value_${currency}, ''), ${codes}, ${steps}, 1) AS step_${currency}`
  })
  const faults = amounts.flatMap(({ name, moneyIn }): readonly Fault[] => {
    const alone = `${name}: expected a ${moneyIn} beside it`
    if (!present.has(moneyIn)) return [{ when: `isNotNull(value_${name})`, reason: alone }]
    const tooFine = {
      when: `toInt128(ifNull(value_${name}, 0) * ${10 ** SCALE}) % step_${moneyIn} != 0`,
      reason: `${name}: expected no more fraction digits than its currency has`,
    }
    if (isFilled(ledger, moneyIn)) return [tooFine]
    return [tooFine, { when: `isNull(text_${moneyIn}) > isNull(value_${name})`, reason: alone }]
  })
  return { definitions, faults }
}

/**
 * Selects all columns of a table and layers of definitions. Each layer uses the layers below it. In a single `SELECT`,
 * the engine would expand every definition wherever its name appears.
 */
export function selectLayers(table: string, layers: readonly (readonly string[])[]): string {
  return layers
    .filter(({ length }) => length > 0)
    .reduce(
      (below, layer) => `SELECT *, ${layer.join(',\n')} FROM (${below})`,
      `SELECT * FROM ${table}`,
    )
}
