import { expect, test } from 'vitest'
import type { Role } from '../../../common/src/roles.ts'
import { goldenText } from './golden-text.ts'
import type { Inputs } from './ledger-sql.ts'
import {
  askReport,
  type Checked,
  checkReport,
  forFirstRole,
  type ReportRow,
  type ServedLedger,
  totalsOf,
  type Wanted,
} from './reports-kit.ts'

/** Compares a report with raw rows, once for each role that may ask for it. Returns the rows of the first role. */
export type Check = (checked: Checked, inputs?: Inputs) => Promise<readonly ReportRow[]>

/** Makes a `Check` that requests the same report once. */
export function checksOf(served: ServedLedger): Check {
  const known = new Map<string, ReturnType<Check>>()
  return (checked, inputs = {}) => {
    const key = JSON.stringify([checked, inputs])
    const rows = known.get(key) ?? checkReport(served, checked, inputs)
    known.set(key, rows)
    return rows
  }
}

/** The different values of a column. */
export function valuesOf(rows: readonly ReportRow[], title: string) {
  return new Set(rows.map((row) => row[title]))
}

/** Tests that parameters change reports, to at least some rows: the usual parameters, and those that differ. */
export function testChanges(
  check: Check,
  leastRows: number,
  changes: readonly (readonly [Checked, usual: Inputs, changed: Inputs])[],
): void {
  test.each(changes.map(([checked, usual, changed]) => ({ checked, usual, changed })))(
    '$checked.identifier changes with $changed',
    async ({ checked, usual, changed }) => {
      const before = await check(checked, usual)
      const after = await check(forFirstRole(checked), { ...usual, ...changed })
      expect(after.length).toBeGreaterThanOrEqual(leastRows)
      expect(JSON.stringify(after) === JSON.stringify(before)).toBe(false)
    },
  )
}

/** Tests that the rows of reports add up to their totals, by some columns. */
export function testTotals(
  served: ServedLedger,
  check: Check,
  inputs: Inputs,
  reports: readonly (readonly [Checked, by: readonly string[], sums: readonly string[]])[],
): void {
  test.each(reports.map(([checked, by, sums]) => ({ checked, by, sums })))(
    '$checked.identifier adds up to its totals',
    async ({ checked, by, sums }) => {
      const login = served.logins[checked.roles[0] ?? 'operator']
      const wanted = { inputs, configuration: { totals: 'only' } }
      const { rows } = await askReport(served, login, checked.identifier, wanted)
      expect(rows).toEqual(totalsOf(await check(checked, inputs), by, sums))
      expect(rows.length).toBeGreaterThan(1)
    },
  )
}

/** Tests that reports equal their golden files. */
export function testGolden(
  served: ServedLedger,
  reports: readonly (readonly [Checked, Role, Wanted])[],
): void {
  test.each(reports.map(([checked, role, wanted]) => ({ checked, role, wanted })))(
    '$checked.identifier equals its golden file, byte for byte',
    async ({ checked: { identifier }, role, wanted }) => {
      const report = await askReport(served, served.logins[role], identifier, wanted)
      expect(report.rows.length).toBeGreaterThanOrEqual(5)
      expect(report.rows.length).toBeLessThanOrEqual(40)
      expect(report.answer.text).toBe(goldenText(identifier, report))
    },
  )
}
