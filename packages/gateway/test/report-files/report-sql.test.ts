// @module-tag long

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHere } from '../kit/run-here.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/templates.md'), 'utf8')

/** One mistake in each of five lines of the page's report. */
const MISTAKES = [
  ['title: Large declines', 'titel: Large declines'],
  ['amount >= {minAmount:', 'amount >= {minAmont:'],
  ["condition: status = 'declined'", 'condition: created_at < now()'],
  ['kind: money, sql: amount,', 'kind: money, sql: toFloat64(amount),'],
  ['sql: response_code,', 'sql: respons_code,'],
] as const

/** What `check` prints of them: each group after the group before is corrected. */
const FAULTS = {
  title: 'reports/large-declines.yaml:2: titel: unknown name, did you mean "title"?',
  sql: [
    'reports/large-declines.yaml:17: parameters[0].condition: Substitution `minAmont` is not set',
    "reports/large-declines.yaml:25: condition: expected {now:DateTime64(3, 'UTC')}, the time of the request, got the function now()",
    'reports/large-declines.yaml:33: columns[5].sql: Unknown expression or function identifier `respons_code`',
  ],
  kind: "reports/large-declines.yaml:30: columns[2].sql: expected for the kind money a decimal of at most 4 fraction digits, such as that of CAST(round(…, 3), 'Decimal(38, 3)'), got Float64",
}

test('check prints the faults of the report in docs/templates.md, as the page shows one', async () => {
  const [, report = ''] = /^```yaml\n(identifier: large-declines\n[^]*?)^```$/m.exec(PAGE) ?? []
  const [, shown = ''] = /^```\n(error: reports\/large-declines\.yaml:[^]*?)^```$/m.exec(PAGE) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-'))
  try {
    const check = async (): Promise<string> => {
      const { stderr } = await runHere('check', folder)
      return stderr.replaceAll(`${folder}/`, 'reports/')
    }
    const write = (text: string) => writeFileSync(join(folder, 'large-declines.yaml'), text)
    let broken = report
    for (const [right, wrong] of MISTAKES) {
      expect(broken).toContain(right)
      broken = broken.replace(right, () => wrong)
    }
    const [title, , , amount] = MISTAKES
    write(report.replace('IN {brands:Array(String)}', 'IN arrayMap(upper, {brands:Array(String)})'))
    expect(await check()).toBe(shown)
    write(broken)
    expect(await check()).toBe(`error: ${FAULTS.title}\n`)
    write(broken.replace(title[1], () => title[0]))
    expect(await check()).toBe(`error: ${FAULTS.sql.join('\n')}\n`)
    write(report.replace(amount[0], () => amount[1]))
    expect(await check()).toBe(`error: ${FAULTS.kind}\n`)
    write(report)
    expect(await check()).toBe('')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
