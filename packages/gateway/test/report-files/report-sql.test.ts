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

test('docs/templates.md shows what check prints after each correction', async () => {
  const [, report = ''] = /^```yaml\n(identifier: large-declines\n[^]*?)^```$/m.exec(PAGE) ?? []
  const shown = [...PAGE.matchAll(/^```\n(error: reports\/large-declines\.yaml:[^]*?)^```$/gm)].map(
    ([, text = '']) => text,
  )
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
    expect(await check()).toBe(shown[0])
    write(broken)
    expect(await check()).toBe(shown[1])
    write(broken.replace(title[1], () => title[0]))
    expect(await check()).toBe(shown[2])
    write(report.replace(amount[0], () => amount[1]))
    expect(await check()).toBe(shown[3])
    write(report)
    expect(await check()).toBe('')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
