import { dirname, join, resolve } from 'node:path'
import type * as z from 'zod'
import { readYaml } from '@counterfoil/common'
import { configSchema } from './schema.ts'

/** A checked configuration: sizes in bytes, absolute paths, and defaults filled in. */
export type Config = DeepReadonly<z.infer<typeof configSchema>> & {
  /** The configuration file, as the operator named it. */
  readonly file: string
}

type DeepReadonly<T> = { readonly [K in keyof T]: DeepReadonly<T[K]> }

/** The fields that hold the path of a file or a folder, wherever they are. */
const PATHS: ReadonlySet<string> = new Set([
  'caFile',
  'certificate',
  'dataDir',
  'file',
  'key',
  'logo',
  'passwordFile',
  'reports',
  'source',
])

/** The folder of the report files that come with the gateway. In the repository it is a link to `reports/`. */
export const SHIPPED_REPORTS = join(import.meta.dirname, '../../reports')

/**
 * Reads a configuration file. Relative paths in it start from the file's folder.
 *
 * @throws {GatewayError} `config` with every fault: file, line, field and expected value
 */
export function loadConfig(file: string): Config {
  const { value } = readYaml(file, configSchema)
  resolvePaths(value, dirname(file))
  return { ...value, file }
}

/** The folder of the ledger. */
export function ledgerFolder(config: Config): string {
  return join(config.dataDir, 'ledger')
}

/** The socket on which a running gateway listens for `reload` and other commands. */
export function controlSocketFile(config: Config): string {
  return join(config.dataDir, 'control.sock')
}

/** The file that remembers successful checks of report files. */
export function reportChecksFile(config: Config): string {
  return join(config.dataDir, 'report-checks.json')
}

/** Makes the paths in a configuration absolute. */
function resolvePaths(fields: object, folder: string): void {
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'object' && value !== null) resolvePaths(value, folder)
    else if (PATHS.has(name)) Object.assign(fields, { [name]: resolve(folder, value) })
  }
}
