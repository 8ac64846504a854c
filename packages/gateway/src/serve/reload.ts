import { type Config, reportChecksFile } from '../config/config.ts'
import { readTls } from '../config/configured-files.ts'
import type { Engine } from '@counterfoil/engine'
import { GatewayError } from '@counterfoil/common'
import type { HttpServer } from '../http/server.ts'
import type { Log } from '../observe/log.ts'
import {
  type Catalogue,
  fingerprintChecker,
  loadCatalogue,
  noteBusinessDays,
  openReportChecks,
  type ReportChecks,
} from '@counterfoil/templates'

/** The result of a reload. */
export interface Reloaded {
  /** The identifiers of all reports that the gateway serves now. */
  readonly reports: readonly string[]
  /** How many report files the reload checked. The others have not changed since they passed. */
  readonly checked: number
  readonly certificate?: { readonly file: string; readonly validTo: string }
}

/** The loaded report files. */
interface Loaded {
  readonly catalogue: Catalogue
  /** How many files were checked. */
  readonly checked: number
}

/** Opens the record of report files that passed their check by an engine, which the fingerprint identifies. */
export function reportChecksOf(config: Config, engineFingerprint: string): ReportChecks {
  return openReportChecks(reportChecksFile(config), fingerprintChecker(engineFingerprint))
}

/** Returns a function that loads the catalogue and checks the report files that have changed. */
export function createLoader(config: Config, engine: Engine, log: Log): () => Promise<Loaded> {
  return async () => {
    // A server may have changed since the last time.
    const checks = reportChecksOf(config, await engine.readFingerprint())
    let checked = 0
    const onCheck = (files: number, unchecked: number): void => {
      checked = unchecked
      log.info(
        unchecked === 0
          ? `all ${files} report files passed their check before`
          : `checking ${describeShare(unchecked, files)}`,
      )
    }
    const loaded = await loadCatalogue(config.reports, engine, { checks, onCheck })
    return { catalogue: noteBusinessDays(loaded, config.businessDayZone), checked }
  }
}

function describeShare(unchecked: number, files: number): string {
  if (unchecked === files) return `${files} report files`
  return `${unchecked} of ${files} report files; the others passed before`
}

/**
 * Returns a function that reloads report files and certificate. Several calls run one after the other.
 *
 * @param reportCount returns the number of reports that the gateway serves now
 * @param loadReports loads the report files, and serves them from then on
 */
export function createReload(
  config: Config,
  server: HttpServer,
  log: Log,
  reportCount: () => number,
  loadReports: () => Promise<Loaded>,
): () => Promise<Reloaded> {
  return oneAtATime(async () => {
    const faults: string[] = []
    const note = (message: string, error: unknown): void => {
      log.error(message, error)
      if (!(error instanceof GatewayError)) throw error
      faults.push(error.message)
    }
    const certificate = reloadTls(config, server, log, note)
    const loaded = await loadReports().catch((error: unknown) => {
      note('the report files are broken: the reports stay as they were', error)
    })
    if (loaded) log.info(`loaded ${reportCount()} reports again`)
    if (!loaded || faults.length > 0) {
      const outcome = describeOutcome(loaded !== undefined, reportCount(), certificate)
      throw new GatewayError('config', [...faults, outcome].join('\n'))
    }
    const { catalogue, checked } = loaded
    const reports = [...catalogue.reports.keys()]
    return { reports, checked, ...(certificate && { certificate }) }
  })
}

/** Describes what a faulty reload changed. */
function describeOutcome(
  isLoaded: boolean,
  reportCount: number,
  certificate: Reloaded['certificate'],
): string {
  if (isLoaded) {
    return `The gateway loaded its ${reportCount} reports again, and keeps its old certificate.`
  }
  const loaded = certificate ? ` It loaded the certificate ${certificate.file} again.` : ''
  return `The gateway keeps its ${reportCount} reports.${loaded}`
}

/** Reads the certificate files and gives them to the server. A broken certificate changes nothing. */
function reloadTls(
  { tls: files }: Config,
  server: HttpServer,
  log: Log,
  note: (message: string, error: unknown) => void,
): Reloaded['certificate'] {
  if (!files) return undefined
  try {
    const { validTo, dateFault, ...tls } = readTls(files, new Date())
    if (dateFault !== undefined) throw new GatewayError('config', dateFault)
    server.replaceTls(tls)
    log.info(`loaded the certificate again; it is valid until ${validTo}`)
    return { file: files.certificate, validTo }
  } catch (error) {
    note('the certificate is broken: the old one stays in use', error)
    return undefined
  }
}

/** Returns a function that runs its calls one after the other. */
function oneAtATime<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const next = last.then(work, work)
    last = next
    return next
  }
}
