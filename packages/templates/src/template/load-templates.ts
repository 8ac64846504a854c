import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as z from 'zod'
import { GatewayError, isKnownZone, LIMITS, readYaml } from '@counterfoil/common'
import { type Queries, readRows } from '@counterfoil/engine'
import type { LedgerTable } from '@counterfoil/ledger'
import { readRefusedFunctions } from '../check/check-sql.ts'
import { checkTemplate, type LoadedTemplate } from '../check/check-template.ts'
import { NO_CHECKS, type ReportChecks } from './report-checks.ts'
import { type Template, templateSchema } from './template.ts'

/** A checked report. */
export interface CatalogueReport {
  readonly template: Template
  /** The ledger tables that the report reads. */
  readonly tables: ReadonlySet<LedgerTable>
}

/** The reports by identifier, and the time zones that they accept. */
export interface Catalogue {
  readonly reports: ReadonlyMap<string, CatalogueReport>
  readonly timezones: ReadonlySet<string>
}

export interface LoadOptions {
  /** Earlier checks, which need no repetition. */
  readonly checks?: ReportChecks
  /** Called before the checks with the number of report files, and how many of them need a check. */
  readonly onCheck?: (files: number, unchecked: number) => void
}

/**
 * Reads every report file of a folder, and checks on the engine those that have not passed before.
 *
 * @throws {GatewayError} `template` with a line for each fault: file, line and expected value
 */
export async function loadCatalogue(
  directory: string,
  engine: Queries,
  { checks = NO_CHECKS, onCheck }: LoadOptions = {},
): Promise<Catalogue> {
  const { loaded, faults } = readTemplates(directory)
  const known = loaded.map((file) => ({ file, tables: checks.find(file.text) }))
  const unchecked = known.filter(({ tables }) => tables === undefined).length
  onCheck?.(loaded.length, unchecked)
  const timezones = await readTimezones(engine)
  const refused = unchecked > 0 ? await readRefusedFunctions(engine) : new Set<string>()
  const reports = new Map<string, CatalogueReport>()
  for (const { file, tables: remembered } of known) {
    const checked = remembered
      ? { tables: remembered, faults: [] }
      : await checkTemplate(file, { timezones, refused }, engine)
    const { tables } = checked
    if (!remembered && checked.faults.length === 0) checks.add(file.text, tables)
    faults.push(...checked.faults)
    reports.set(file.template.identifier, { template: file.template, tables })
  }
  if (faults.length > 0) throw new GatewayError('template', faults.join('\n'))
  return { reports, timezones }
}

/**
 * Reads every report file of a folder without an engine.
 *
 * @returns `undefined` if one of the files has not passed a check yet
 * @throws {GatewayError} `template` with a line for each fault of a file's shape
 */
export function loadCheckedReports(
  directory: string,
  checks: ReportChecks,
): Catalogue['reports'] | undefined {
  const reports = new Map<string, CatalogueReport>()
  const { loaded, faults } = readTemplates(directory)
  if (faults.length > 0) throw new GatewayError('template', faults.join('\n'))
  for (const { template, text } of loaded) {
    const tables = checks.find(text)
    if (tables === undefined) return undefined
    reports.set(template.identifier, { template, tables })
  }
  return reports
}

/** Reads the report files of a folder, and collects the faults of their shape. */
function readTemplates(directory: string) {
  const faults: string[] = []
  const loaded = reportFiles(directory).flatMap((file) => {
    try {
      return [loadTemplate(file)]
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      faults.push(error.message)
      return []
    }
  })
  const files = new Map<string, string>()
  for (const { template, file, lineOf } of loaded) {
    for (const name of [template.identifier, ...(template.aliases ?? [])]) {
      const other = files.get(name)
      files.set(name, file)
      if (other === undefined) continue
      const expected = `expected a unique identifier, got ${name}, which ${other} has too`
      faults.push(`${file}:${lineOf(['aliases'])}: aliases: ${expected}`)
    }
  }
  return { loaded, faults }
}

function reportFiles(directory: string): readonly string[] {
  const max = LIMITS.reportFilesMax
  let files: readonly string[]
  try {
    files = readdirSync(directory).filter((name) => name.endsWith('.yaml'))
  } catch (error) {
    const isFile = error instanceof Error && 'code' in error && error.code === 'ENOTDIR'
    const message = isFile
      ? `expected a folder of report files, got a file: ${directory}`
      : `Cannot read the folder of report files: ${directory}`
    throw new GatewayError('template', message, { cause: error })
  }
  if (files.length > 0 && files.length <= max) {
    return files.toSorted().map((name) => join(directory, name))
  }
  const expected = `expected 1 to ${max} report files (*.yaml) in ${directory}`
  throw new GatewayError('template', `${expected}, got ${files.length || 'none'}`)
}

function loadTemplate(file: string): LoadedTemplate {
  const { value, text, lineOf } = readYaml(file, templateSchema, 'template')
  const expected = basename(file, '.yaml')
  if (value.identifier !== expected) {
    const line = lineOf(['identifier'])
    throw new GatewayError(
      'template',
      `${file}:${line}: identifier: expected "${expected}", the name of the file`,
    )
  }
  return { template: value, file, text, lineOf }
}

/** Reads the time zones that both the engine and Node know. Node's rules apply. */
async function readTimezones(engine: Queries): Promise<ReadonlySet<string>> {
  const row = z.object({ time_zone: z.string() })
  const rows = await readRows(engine, row, 'SELECT time_zone FROM system.time_zones')
  return new Set(rows.map(({ time_zone: name }) => name).filter(isKnownZone))
}

/** Returns the columns of the ledger that hold business days and that a period can go by. */
function businessAxesOf({ period }: Template): readonly string[] {
  const written = Object.values(period?.axes ?? {}).map(({ sql }) => sql)
  return ['bank_date', 'settled_at', 'business_day'].filter((name) => written.includes(name))
}

/** Whether a report can go by the operator's business days. */
export function goesByBusinessDays(template: Template): boolean {
  return businessAxesOf(template).length > 0
}

/**
 * Adds the time zone of the operator's business days to the note of every report that can go by them.
 *
 * @param zone an IANA time zone
 */
export function noteBusinessDays(catalogue: Catalogue, zone: string): Catalogue {
  const reports = [...catalogue.reports].map(([identifier, report]) => {
    const { template } = report
    const axes = businessAxesOf(template)
    if (axes.length === 0) return [identifier, report] as const
    const note = [
      ...(template.note === undefined ? [] : [template.note]),
      `Business days are days in ${zone}.`,
      ...(axes.includes('settled_at') && axes.includes('bank_date')
        ? ['The axis bank agrees with statements in every time zone, and settled in this one.']
        : []),
    ].join(' ')
    return [identifier, { ...report, template: { ...template, note } }] as const
  })
  return { ...catalogue, reports: new Map(reports) }
}
