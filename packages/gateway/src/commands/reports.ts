import type { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { GatewayError, type Role } from '@counterfoil/common'
import { engineFingerprint } from '@counterfoil/engine'
import { reportChecksOf } from '../serve/reload.ts'
import { exampleRequest } from '../report/catalogue.ts'
import { reportsOf } from '../report/prepare-report.ts'
import {
  type Catalogue,
  type CatalogueReport,
  loadCatalogue,
  loadCheckedReports,
} from '@counterfoil/templates'
import { addCommand, addGroup } from './config-option.ts'
import { table } from './table.ts'
import { withEmptyLedger } from './with-empty-ledger.ts'
import { withStore } from './with-store.ts'

interface Options {
  readonly config: string
  readonly for: string
}

/** Adds `reports list` and `reports show`: which reports a login may request, and the body of a request. */
export function addReportCommands(program: Command): void {
  const reports = addGroup(program, 'reports', {
    summary: 'list the reports of a login, print a request',
    description: 'Lists the reports that a login may request, and prints requests for them.',
    examples: [
      'reports list --config gateway.yaml --for shop-1',
      'reports show transactions-list \\\n    --config gateway.yaml --for shop-1',
    ],
  })
  addList(reports)
  addShow(reports)
}

function addList(reports: Command): void {
  addCommand(reports, 'list', {
    summary: 'list the reports of a login',
    description: 'Lists the reports that a login may request.',
    examples: ['reports list --config gateway.yaml --for shop-1'],
  })
    .requiredOption('--for <login>', 'login whose reports to list (required)')
    .action(async (options: Options) => {
      const { known } = await readReports(options)
      const rows = known.map(({ template }) => [template.identifier, template.title])
      console.log(table(['REPORT', 'TITLE'], rows))
    })
}

function addShow(reports: Command): void {
  addCommand(reports, 'show', {
    summary: 'print a request for a report',
    description:
      'Prints the JSON body of a request for a report on stdout. The login can send it as it is.',
    examples: [
      'reports show transactions-list \\\n    --config gateway.yaml --for shop-1 > request.json',
    ],
  })
    .argument('<report>', 'identifier of the report, as "reports list" shows it')
    .requiredOption('--for <login>', 'login that requests the report (required)')
    .action(async (identifier: string, options: Options) => {
      const { known, role, config } = await readReports(options)
      const report = known.find(({ template }) => template.identifier === identifier)
      if (!report) {
        const names = known.map(({ template }) => template.identifier).join(', ')
        const message = `${options.for} has no report ${identifier}. The reports for a ${role}: ${names}`
        throw new GatewayError('template', message)
      }
      console.log(JSON.stringify(exampleRequest(report.template, Date.now()), undefined, 2))
      console.error(`For ${options.for}, to ${config.publicUrl}${config.reportPath}`)
    })
}

/** Reads a login and the reports that it may request. */
async function readReports({ config: file, for: name }: Options): Promise<{
  readonly known: readonly CatalogueReport[]
  readonly role: Role
  readonly config: Config
}> {
  const stored = await withStore(file, async (store, config) => {
    return { login: await store.findLogin(name), config }
  })
  const { login, config } = stored
  if (!login) {
    throw new GatewayError('credentials', `There is no login ${name}. "logins list" shows all`)
  }
  const { role } = login
  return { known: reportsOf({ reports: await loadReports(config) }, role), role, config }
}

/** Reads the report files of a configuration. It opens the engine only if a file has not passed its check before. */
async function loadReports(config: Config): Promise<Catalogue['reports']> {
  const checks = reportChecksOf(config, engineFingerprint())
  const known = loadCheckedReports(config.reports, checks)
  if (known !== undefined) return known
  console.error('Checking the report files …')
  const load = withEmptyLedger((engine) => loadCatalogue(config.reports, engine, { checks }))
  return (await load).reports
}
