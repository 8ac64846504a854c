import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as z from 'zod'
import { readYaml } from '../config/read-yaml.ts'
import { type Engine, readRows } from '../engine/engine.ts'
import { GatewayError } from '../errors.ts'
import { checkTemplate } from './check-template.ts'
import { type LoadedTemplate, type Template, templateSchema } from './template.ts'

/** The reports that can be asked for, and the time zones they can be asked in. */
export interface Catalogue {
  readonly templates: ReadonlyMap<string, Template>
  readonly timezones: ReadonlySet<string>
}

/**
 * Reads every report file of a folder and checks it against the engine.
 * Throws `template` with a line for each fault: file, line, and what was expected.
 */
export async function loadCatalogue(directory: string, engine: Engine): Promise<Catalogue> {
  const timezones = await readTimezones(engine)
  const loaded = reportFiles(directory).map(loadTemplate)
  const faults: string[] = []
  for (const template of loaded) faults.push(...(await checkTemplate(template, timezones, engine)))
  if (faults.length > 0) throw new GatewayError('template', faults.join('\n'))
  const templates = new Map(loaded.map(({ template }) => [template.identifier, template]))
  return { templates, timezones }
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
