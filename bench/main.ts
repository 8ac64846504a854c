import { parseArgs } from 'node:util'
import type { Comparison } from './compare.ts'
import { measureFairness } from './fairness.ts'
import { measureFormats } from './formats.ts'
import { measureImport, measureSync } from './import.ts'
import { measureMemory } from './memory.ts'
import { measurePostgres } from './postgres.ts'
import { measureSigning } from './signing.ts'
import { measureSmallReports } from './small-reports.ts'
import { measureServers, measureThroughput } from './throughput.ts'

const PARTS: Readonly<Record<string, readonly (() => Promise<readonly Comparison[]>)[]>> = {
  signing: [measureSigning],
  throughput: [measureThroughput, measurePostgres],
  small: [measureSmallReports],
  fairness: [measureFairness],
  memory: [measureMemory],
  formats: [measureFormats],
  servers: [measureServers],
  import: [measureImport, measureSync],
}

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, only: { type: 'string' } },
})
const names = values.only?.split(',') ?? Object.keys(PARTS)
const unknown = names.filter((name) => !Object.hasOwn(PARTS, name))
if (unknown.length > 0) {
  console.error(
    `--only: expected some of ${Object.keys(PARTS).join(',')}, got ${unknown.join(',')}`,
  )
  process.exit(2)
}

const comparisons: Comparison[] = []
for (const name of names) {
  console.error(`measuring ${name} …`)
  try {
    for (const measure of PARTS[name] ?? []) comparisons.push(...(await measure()))
  } catch (error) {
    // The other parts take an hour, and their figures are printed all the same.
    console.error(`${name} failed:`, error)
    process.exitCode = 1
  }
}
console.log(values.json ? JSON.stringify(comparisons, undefined, 2) : table(comparisons))
if (comparisons.some((comparison) => !isReached(comparison))) process.exitCode = 1

function isReached({ ratio, atLeast = 0, atMost = Number.POSITIVE_INFINITY }: Comparison): boolean {
  return ratio >= atLeast && ratio <= atMost
}

/** Writes the table of docs/performance.md, in Markdown. */
function table(rows: readonly Comparison[]): string {
  const lines = rows.map((row) => {
    const wanted = row.atLeast === undefined ? row.atMost && `≤ ${row.atMost}` : `≥ ${row.atLeast}`
    const cells = [
      row.name,
      row.referenceName,
      `${round(row.ours)} against ${round(row.reference)} ${row.unit}`,
      row.ratio.toPrecision(3),
      `${wanted ?? ''}${isReached(row) ? '' : ', not reached'}`,
    ]
    return `| ${cells.join(' | ')} |`
  })
  const head = ['| What | Against | Measured | Ratio | Wanted |', '| --- | --- | --- | --- | --- |']
  return [...head, ...lines].join('\n')
}

function round(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 })
}
