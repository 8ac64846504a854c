import { basename } from 'node:path'
import { LIMITS } from '@counterfoil/common'
import { type JudgedRows, LINES_PER_FILE, type SampledRow } from '@counterfoil/ledger'
import { count, counted, table } from './terminal.ts'

/** Where rows came from: files by their names, or a database with the keys of its lines. */
type Origin = readonly string[] | ReadonlyMap<number, string>

export function describeResult(result: JudgedRows, origin: Origin): string {
  const { rows, fileRows, taken, unchanged, older, refused, skipped } = result
  const { leftOut, cut, outdated } = result
  const from = isFiles(origin) ? 'files' : 'database'
  const texts = [
    `${counted(rows, 'row')}: ${count(taken)} taken, ${count(unchanged)} unchanged, ${count(older)} older,` +
      `${skipped > 0 ? ` ${count(skipped)} skipped,` : ''} ${count(refused)} refused.`,
    fileRows !== rows &&
      `The ${from} ${isFiles(origin) ? 'have' : 'has'} ${counted(fileRows, 'row')}.`,
    !leftOut && 'The SELECT returns no _line, so no line of the files is named.',
    leftOut?.rows &&
      `The SELECT left out ${counted(leftOut.rows, 'row')} of the ${from}. First: ${placesOf(leftOut.lines, origin)}.`,
    cut > 0 && `Digits after the milliseconds were cut in the times of ${counted(cut, 'row')}.`,
    outdated.rows > 0 &&
      `The ledger has a newer version of ${counted(outdated.rows, 'row')}. First: ${placesOf(outdated.lines, origin)}. ` +
        'A correction needs a higher row_version or a later updated_at.',
    ...tablesOf(result, origin),
  ]
  return texts.filter(Boolean).join('\n')
}

function tablesOf({ skips, sums, rules, reasons }: JudgedRows, origin: Origin): readonly string[] {
  const unit = isFiles(origin) ? 'LINE' : 'KEY'
  const countsOf = (counts: JudgedRows['reasons']): string[][] => {
    return counts.map(({ rows, first, reason }) => [count(rows), placeOf(first, origin), reason])
  }
  const tables: [titles: string[], rows: string[][]][] = [
    [
      ['SUMS OF', 'TYPE', 'STATUS', 'CURRENCY', 'ROWS', 'AMOUNT', 'NET AMOUNT'],
      sums.map(({ skip, type, status, currency, rows, amount, net }) => {
        const of = skip === '' ? 'accepted rows' : `skipped: ${skip}`
        return [of, type, status, currency, count(rows), amount, net]
      }),
    ],
    [['ROWS', `FIRST ${unit}`, 'WHY THE SOURCE SKIPS THEM'], countsOf(skips)],
    [
      ['RULE', '', 'ROWS', `FIRST ${unit}S`, 'WHAT IT SAYS'],
      rules.map(({ name, severity, rows, lines, sentence }) => {
        const verdict = severity === 'refuse' ? 'refused' : 'warned'
        return [name, verdict, count(rows), placesOf(lines, origin), sentence]
      }),
    ],
    [['ROWS', `FIRST ${unit}`, 'REASON (a row may have several)'], countsOf(reasons)],
  ]
  const filled = tables.filter(([, rows]) => rows.length > 0)
  const most = LIMITS.reasonsShownMax
  return [
    ...filled.map(([titles, rows]) => `\n${table(titles, rows)}`),
    ...(reasons.length === most ? [`These are the ${most} most frequent reasons.`] : []),
  ]
}

/** Shows rows of the files beside those of the ledger. */
export function describeSample(sample: readonly SampledRow[], origin: Origin): string {
  const valuesOf = (title: string, values: Readonly<Record<string, string>>): string[] => {
    const texts = Object.entries(values).map(
      ([name, value]) => `${name}=${JSON.stringify(value).slice(0, 80)}`,
    )
    return texts.length > 0 ? [`  ${title.padEnd(8)}${texts.join('  ')}`] : []
  }
  const lines = sample.flatMap(({ line, theirs, ours, verdict }) => [
    `${isFiles(origin) ? 'line' : 'key'} ${placeOf(line, origin)}: ${verdict}`,
    ...valuesOf('file', theirs),
    ...valuesOf('ledger', ours),
  ])
  return lines.join('\n')
}

function isFiles(origin: Origin): origin is readonly string[] {
  return Array.isArray(origin)
}

function placeOf(line: number, origin: Origin): string {
  if (!isFiles(origin)) return origin.get(line) ?? 'unknown'
  if (line < LINES_PER_FILE) return 'unknown'
  const file = origin[Math.floor(line / LINES_PER_FILE) - 1] ?? ''
  const number = line % LINES_PER_FILE
  return origin.length === 1 ? String(number) : `${basename(file)}:${number}`
}

function placesOf(lines: readonly number[], origin: Origin): string {
  return lines.map((line) => placeOf(line, origin)).join(', ')
}
