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

/** Loads the report files, and says how many of them it has checked. */
type LoadReports = () => Promise<{ readonly catalogue: Catalogue; readonly checked: number }>

/** Opens the record of report files that an engine has checked. */
export function reportChecksOf(config: Config, engineFingerprint: string): ReportChecks {
  return openReportChecks(reportChecksFile(config), fingerprintChecker(engineFingerprint))
}

/** Returns a function that loads the catalogue and checks the report files that have changed. */
export function createLoader(config: Config, engine: Engine, log: Log): LoadReports {
  return async () => {
    // A server may have changed since the last time.
    const checks = reportChecksOf(config, await engine.readFingerprint())
    let checked = 0
    const onCheck = (files: number, unchecked: number): void => {
      checked = unchecked
      const others = unchecked < files ? `; ${files - unchecked} others passed before` : ''
      if (unchecked === 0) log.info(`all ${files} report files passed their check before`)
      else log.info(`checking ${unchecked} report files${others}`)
    }
    const loaded = await loadCatalogue(config.reports, engine, { checks, onCheck })
    return { catalogue: noteBusinessDays(loaded, config.businessDayZone), checked }
  }
}

/**
 * Returns a function that reloads report files and certificate. Whichever of the two is broken stays as it was. Several
 * calls run one after the other.
 *
 * @param loadReports loads the report files, and serves them from then on
 */
export function createReload(
  { tls: files }: Config,
  server: HttpServer,
  log: Log,
  loadReports: LoadReports,
) {
  const loadTls = async () => {
    if (!files) return undefined
    const { validTo, dateFault, ...tls } = readTls(files, new Date())
    if (dateFault !== undefined) throw new GatewayError('config', dateFault)
    server.replaceTls(tls)
    log.info(`loaded the certificate again; it is valid until ${validTo}`)
    return { file: files.certificate, validTo }
  }
  return oneAtATime(async () => {
    const faults: string[] = []
    const keeping = (what: string, broken: string) => (error: unknown) => {
      log.error(broken, error)
      if (!(error instanceof GatewayError)) throw error
      faults.push(error.message, `The gateway keeps its old ${what}.`)
    }
    const certificate = await loadTls().catch(
      keeping('certificate', 'the certificate is broken: the old one stays in use'),
    )
    const loaded = await loadReports().catch(
      keeping('reports', 'the report files are broken: the reports stay as they were'),
    )
    if (loaded) log.info(`loaded ${loaded.catalogue.reports.size} reports again`)
    if (!loaded || faults.length > 0) throw new GatewayError('config', faults.join('\n'))
    const reports = [...loaded.catalogue.reports.keys()]
    return { reports, checked: loaded.checked, ...(certificate && { certificate }) }
  })
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
