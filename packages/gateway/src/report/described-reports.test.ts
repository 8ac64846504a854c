import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { CatalogueReport } from '../../../templates/src/template/load-templates.ts'
import { templateSchema } from '../../../templates/src/template/template.ts'
import { describedReports } from './described-reports.ts'

const NOVEMBER = Date.parse('2026-11-23T10:00:00Z')
const FILE = join(import.meta.dirname, '../../../../reports/fees-and-commissions.yaml')
const template = templateSchema.parse(parse(readFileSync(FILE, 'utf8')))

let reads = 0
/** A catalogue of one report, which counts how often it is read. */
function makeCatalogue() {
  const reports = new Map<string, CatalogueReport>()
  const counted = {
    ...template,
    get columns() {
      reads += 1
      return template.columns
    },
  }
  reports.set(template.identifier, { template: counted, tables: new Set() })
  return { reports }
}
beforeEach(() => {
  reads = 0
})

test('describes the reports of a role once, until the catalogue changes', () => {
  const catalogue = makeCatalogue()
  const json = describedReports(catalogue, 'merchant', NOVEMBER)
  expect(JSON.parse(json)).toMatchObject([{ reportIdentifier: template.identifier }])
  const readOnce = reads
  expect(readOnce).toBeGreaterThan(0)
  expect(describedReports({ ...catalogue }, 'merchant', NOVEMBER + 60_000)).toBe(json)
  expect(reads).toBe(readOnce)
  expect(describedReports(makeCatalogue(), 'merchant', NOVEMBER)).toBe(json)
  expect(reads).toBe(2 * readOnce)
})

test('describes examples of the month before', () => {
  const catalogue = makeCatalogue()
  expect(describedReports(catalogue, 'merchant', NOVEMBER)).toContain('"2026-10-01"')
  const december = Date.parse('2026-12-01T00:00:00Z')
  expect(describedReports(catalogue, 'merchant', december)).toContain('"2026-11-01"')
})
