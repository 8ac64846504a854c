import { dirname, join, resolve } from 'node:path'
import type * as z from 'zod'
import { readYaml } from '@counterfoil/common'
import { configSchema } from './schema.ts'

/** A checked configuration: sizes in bytes, absolute paths, and defaults filled in. */
export type Config = DeepReadonly<z.infer<typeof configSchema>>

type DeepReadonly<T> = { readonly [K in keyof T]: DeepReadonly<T[K]> }

/**
 * Reads a configuration file. Relative paths in it start from the file's folder.
 *
 * @throws {GatewayError} `config` with every fault: file, line, field and expected value
 */
export function loadConfig(file: string): Config {
  const { value: config } = readYaml(file, configSchema)
  const { cluster } = config.engine
  const path = (written: string) => resolve(dirname(file), written)
  return deepFreeze({
    ...config,
    dataDir: path(config.dataDir),
    reports: path(config.reports),
    masterKeys: config.masterKeys.map((key) =>
      'file' in key ? { ...key, file: path(key.file) } : key,
    ),
    ...(config.store && { store: { postgres: resolveFiles(config.store.postgres, path) } }),
    databases: Object.fromEntries(
      Object.entries(config.databases).map(([name, one]) => [name, resolveFiles(one, path)]),
    ),
    syncs: config.syncs.map((sync) => ({ ...sync, source: path(sync.source) })),
    ...(cluster && { engine: { ...config.engine, cluster: resolveFiles(cluster, path) } }),
    ...(config.formats.pdf.letterhead && { formats: resolveLogo(config.formats, path) }),
    ...(config.tls && {
      tls: { certificate: path(config.tls.certificate), key: path(config.tls.key) },
    }),
  })
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

/** Resolves the paths of a server's files. */
function resolveFiles<
  Server extends { passwordFile?: string | undefined; caFile?: string | undefined },
>(server: Server, path: (written: string) => string): Server {
  const { passwordFile, caFile } = server
  return {
    ...server,
    ...(passwordFile !== undefined && { passwordFile: path(passwordFile) }),
    ...(caFile !== undefined && { caFile: path(caFile) }),
  }
}

/** Resolves the path of the letterhead's logo. */
function resolveLogo<Formats extends z.infer<typeof configSchema>['formats']>(
  formats: Formats,
  path: (written: string) => string,
): Formats {
  const { letterhead } = formats.pdf
  if (letterhead?.logo === undefined) return formats
  return {
    ...formats,
    pdf: { ...formats.pdf, letterhead: { ...letterhead, logo: path(letterhead.logo) } },
  }
}

function deepFreeze<T>(value: T): DeepReadonly<T> {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) deepFreeze(member)
  }
  return Object.freeze(value)
}
