import { basename } from 'node:path'
import { type JudgedRows, LINES_PER_FILE, type SampledRow } from '@counterfoil/ledger'
import { LIMITS } from '@counterfoil/common'
import { count, counted, table } from './terminal.ts'

/** Where rows came from: files by their names, or a database with the keys of its lines. */
export type Origin = readonly string[] | ReadonlyMap<number, string>

/** Describes what became of the rows of an import. */
export function describeResult(result: JudgedRows, files: Origin): string {
  const { rows, fileRows, taken, unchanged, older, refused, skipped } = result
  const { leftOut, cut, outdated } = result
  const counts = [
    `${count(taken)} taken`,
    `${count(unchanged)} unchanged`,
    `${count(older)} older`,
    ...(skipped > 0 ? [`${count(skipped)} skipped`] : []),
    `${count(refused)} refused`,
  ]
  const texts = [`${counted(rows, 'row')}: ${counts.join(', ')}.`]
  const from = isFiles(files) ? 'files' : 'database'
  if (fileRows !== rows)
    texts.push(`The ${from} ${isFiles(files) ? 'have' : 'has'} ${counted(fileRows, 'row')}.`)
  if (leftOut === undefined) {
    texts.push('The SELECT returns no _line, so no line of the files is named.')
  } else if (leftOut.rows > 0) {
    const first = placesOf(leftOut.lines, files)
    texts.push(
      `The SELECT left out ${counted(leftOut.rows, 'row')} of the ${from}. First: ${first}.`,
    )
  }
  if (cut > 0) {
    texts.push(`Digits after the milliseconds were cut in the times of ${counted(cut, 'row')}.`)
  }
  if (outdated.rows > 0) {
    const first = placesOf(outdated.lines, files)
    const advice = 'A correction needs a higher row_version or a later updated_at'
    texts.push(
      `The ledger has a newer version of ${counted(outdated.rows, 'row')}. First: ${first}. ${advice}.`,
    )
  }
  texts.push(...tablesOf(result, files))
  return texts.join('\n')
}

function tablesOf({ skips, sums, rules, reasons }: JudgedRows, files: Origin): readonly string[] {
  const tables: string[] = []
  const origin = isFiles(files) ? 'LINE' : 'KEY'
  const add = (titles: readonly string[], rows: readonly (readonly string[])[]): void => {
    if (rows.length > 0) tables.push(`\n${table(titles, rows)}`)
  }
  add(
    ['SUMS OF', 'TYPE', 'STATUS', 'CURRENCY', 'ROWS', 'AMOUNT', 'NET AMOUNT'],
    sums.map(({ skip, type, status, currency, rows, amount, net }) => {
      const of = skip === '' ? 'accepted rows' : `skipped: ${skip}`
      return [of, type, status, currency, count(rows), amount, net]
    }),
  )
  add(
    ['ROWS', `FIRST ${origin}`, 'WHY THE SOURCE SKIPS THEM'],
    skips.map(({ rows, first, reason }) => [count(rows), placeOf(first, files), reason]),
  )
  add(
    ['RULE', '', 'ROWS', `FIRST ${origin}S`, 'WHAT IT SAYS'],
    rules.map(({ name, severity, rows, lines, sentence }) => {
      const first = placesOf(lines, files)
      return [name, severity === 'refuse' ? 'refused' : 'warned', count(rows), first, sentence]
    }),
  )
  add(
    ['ROWS', `FIRST ${origin}`, 'REASON (a row may have several)'],
    reasons.map(({ rows, first, reason }) => [count(rows), placeOf(first, files), reason]),
  )
  const most = LIMITS.reasonsShownMax
  if (reasons.length === most) tables.push(`These are the ${most} most frequent reasons.`)
  return tables
}

/** Shows rows of the files beside those of the ledger. */
export function describeSample(sample: readonly SampledRow[], files: Origin): string {
  const valuesOf = (values: Readonly<Record<string, string>>): string => {
    return Object.entries(values)
      .map(([name, value]) => `${name}=${JSON.stringify(value).slice(0, 80)}`)
      .join('  ')
  }
  return sample
    .map(({ line, theirs, ours, verdict }) => {
      const lines = [`${isFiles(files) ? 'line' : 'key'} ${placeOf(line, files)}: ${verdict}`]
      if (Object.keys(theirs).length > 0) lines.push(`  file    ${valuesOf(theirs)}`)
      if (Object.keys(ours).length > 0) lines.push(`  ledger  ${valuesOf(ours)}`)
      return lines.join('\n')
    })
    .join('\n')
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
