import { currencyDigits, neutraliseText } from '@counterfoil/protocol'
import { countOf, formatCount, printable, table } from '../print/text.ts'
import { formatAmount } from './read-cells.ts'
import {
  type Comparison,
  type Difference,
  type DifferenceKind,
  type Side,
  SIDES,
} from './comparison.ts'
import type { TableSummary } from './read-files.ts'

type Compared = Readonly<Record<Side, TableSummary>>

const LISTED = 10

/** Describes a comparison for people: the counts, the first orders of each kind, and notes. */
export function describeReconciliation(
  result: ReturnType<Comparison['compare']>,
  comparison: Pick<Comparison, 'differences'>,
  compared: Compared,
  output: string | undefined,
): string {
  const { agree, differ } = result
  const kinds = [...result.kinds].filter(([, number]) => number > 0)
  const lines = [
    ...[compared.report, compared.orders].map(({ name, rows, columns }) => {
      return `${name}: ${countOf(rows, 'row', 'rows')}, compared by ${columns.join(', ')}`
    }),
    '',
    `${countOf(agree, 'order agrees', 'orders agree')}, ${formatCount(differ)} ${differ === 1 ? 'differs' : 'differ'}.`,
    ...kinds.flatMap(([kind, number]) => {
      const first = [...comparison.differences(kind, LISTED)]
      return [
        '',
        `${titleOf(kind, compared)}: ${formatCount(number)}`,
        ...listOf(first, number, compared),
      ]
    }),
    ...(output === undefined || differ === 0 ? [] : ['', `All differences: ${output}`]),
    ...notesOf(compared).flatMap((note) => ['', `Note: ${note}`]),
  ]
  return lines.map((line) => `${printable(line)}\n`).join('')
}

function titleOf(kind: DifferenceKind, { report, orders }: Compared): string {
  return {
    'missing-in-orders': `Missing in ${orders.name}`,
    'missing-in-report': `Missing in ${report.name}`,
    status: 'The status differs',
    amount: 'The amount differs',
    currency: 'The currency differs',
    repeated: `More than one row in ${orders.name}`,
  }[kind]
}

function listOf(first: readonly Difference[], number: number, compared: Compared): string[] {
  const rows = first.map((difference) => {
    return [difference.id, ...SIDES.map((side) => describeSide(difference, side))]
  })
  const titles = ['Order', ...SIDES.map((side) => compared[side].name)]
  const layout = { indent: 2, width: Number.POSITIVE_INFINITY }
  const others = number - first.length
  const rest = others === 0 ? [] : [`  ... and ${formatCount(others)} more`]
  return [table([titles, ...rows], layout).trimEnd(), ...rest]
}

function describeSide(difference: Difference, side: Side): string {
  const [row, currency] = [difference.of(side, 'row'), difference.of(side, 'currency')]
  if (row === null) return '-'
  const money = `${amountOf(difference, side)} ${currency ?? ''}`.trim()
  return [money, difference.of(side, 'status'), `row ${row}`].filter(Boolean).join(', ')
}

/** Writes an amount with the fraction digits of its currency, at least. */
function amountOf({ of }: Difference, side: Side): string {
  const amount = of(side, 'amount')
  const digits = currencyDigits(String(of(side, 'currency')))
  return amount === null ? '' : formatAmount(BigInt(amount), digits ?? 0)
}

function notesOf({ report, orders }: Compared): string[] {
  const withoutCurrency = [report, orders].find(({ hasCurrency }) => !hasCurrency)
  const notes = [
    !report.hasStatus &&
      `${report.name} has no column Status, so every transaction counts as approved. That is right if you requested it with --parameter statuses=approved.`,
    !orders.hasStatus &&
      `${orders.name} has no column for the status, so the command expects a payment for each order.`,
    withoutCurrency &&
      `${withoutCurrency.name} has no column for the currency, so currencies were not compared.`,
    ...[report, orders].map(({ name, rowsWithoutId: rows }) => {
      return (
        rows > 0 && `Left out, without an order id: ${countOf(rows, 'row', 'rows')} of ${name}.`
      )
    }),
  ]
  return notes.filter((note) => typeof note === 'string')
}

/** Writes differences as a CSV file. Buyers may choose order ids, so none becomes a formula of a spreadsheet. */
export function* differencesAsCsv(differences: Iterable<Difference>): Generator<string> {
  const titles = ['amount', 'currency', 'status', 'row'] as const
  const pairs = titles.flatMap((title) => [`Orders_${title}`, `Report_${title}`])
  yield csvLine(['Order_id', 'Difference', ...pairs])
  for (const difference of differences) {
    const values = titles.flatMap((title) => {
      return SIDES.map((side) => {
        return title === 'amount' ? amountOf(difference, side) : difference.of(side, title)
      })
    })
    yield csvLine([neutraliseText(difference.id), difference.kinds, ...values])
  }
}

function csvLine(values: readonly (string | number | null)[]): string {
  const fields = values.map((value) => `"${String(value ?? '').replaceAll('"', '""')}"`)
  return `${fields.join(',')}\r\n`
}
