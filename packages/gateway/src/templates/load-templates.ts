import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as z from 'zod'
import { readYaml } from '../config/read-yaml.ts'
import { type Engine, readRows } from '../engine/engine.ts'
import { GatewayError } from '../errors.ts'
import type { LedgerTable } from '../ledger/model.ts'
import { readRefusedFunctions } from './check-sql.ts'
import { checkTemplate } from './check-template.ts'
import { type LoadedTemplate, type Template, templateSchema } from './template.ts'

/** A report that was checked. */
export interface CatalogueReport {
  readonly template: Template
  /** The tables of the ledger that it reads. */
  readonly tables: ReadonlySet<LedgerTable>
}

/** The reports that can be asked for, by identifier, and the time zones they can be asked in. */
export interface Catalogue {
  readonly reports: ReadonlyMap<string, CatalogueReport>
  readonly timezones: ReadonlySet<string>
}

/**
 * Reads every report file of a folder and checks it against the engine.
 * Throws `template` with a line for each fault: file, line, and what was expected.
 */
export async function loadCatalogue(directory: string, engine: Engine): Promise<Catalogue> {
  const timezones = await readTimezones(engine)
  const refusedFunctions = await readRefusedFunctions(engine)
  const loaded = reportFiles(directory).map(loadTemplate)
  const reports = new Map<string, CatalogueReport>()
  const faults: string[] = []
  for (const file of loaded) {
    const checked = await checkTemplate(file, { timezones, refusedFunctions }, engine)
    faults.push(...checked.faults)
    reports.set(file.template.identifier, { template: file.template, tables: checked.tables })
  }
  if (faults.length > 0) throw new GatewayError('template', faults.join('\n'))
  return { reports, timezones }
}

function reportFiles(directory: string): readonly string[] {
  try {
    const files = readdirSync(directory).filter((name) => name.endsWith('.yaml'))
    if (files.length > 0) return files.toSorted().map((name) => join(directory, name))
  } catch (error) {
    throw new GatewayError('template', `expected a folder of reports at ${directory}`, {
      cause: error,
    })
  }
  throw new GatewayError('template', `expected report files (*.yaml) in ${directory}, found none`)
}

function loadTemplate(file: string): LoadedTemplate {
  const { value, lineOf } = readYaml(file, templateSchema, 'template')
  const expected = basename(file, '.yaml')
  if (value.identifier !== expected) {
    const line = lineOf(['identifier'])
    throw new GatewayError(
      'template',
      `${file}:${line}: identifier: expected "${expected}", as the file is named`,
    )
  }
  return { template: value, file, lineOf }
}

/** The time zones that both the engine, which prints in them, and this process, which reads in them, know. */
async function readTimezones(engine: Engine): Promise<ReadonlySet<string>> {
  const sql = 'SELECT time_zone FROM system.time_zones'
  const row = z.object({ time_zone: z.string() })
  const rows = await readRows(engine, row, { sql, parameters: {} })
  return new Set(rows.map(({ time_zone: name }) => name).filter(isKnownHere))
}

function isKnownHere(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
