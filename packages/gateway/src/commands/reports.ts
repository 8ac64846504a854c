import { resolve } from 'node:path'
import { GatewayError } from '@counterfoil/common'
import { engineFingerprint } from '@counterfoil/engine'
import { type Catalogue, loadCatalogue, loadCheckedReports } from '@counterfoil/templates'
import type { Config } from '../config/config.ts'
import { exampleRequest } from '../report/catalogue.ts'
import { reportsOf } from '../report/prepare-report.ts'
import { reportChecksOf } from '../serve/reload.ts'
import { argument, command, CONFIG, group, requiredOption } from './command.ts'
import { counted, table } from './terminal.ts'
import { withEmptyLedger } from './with-ledger.ts'
import { requireLogin, withStore } from './with-store.ts'

const LIST = command({
  name: 'list',
  summary: 'list the reports of a login',
  description: 'Lists the reports that a login may request.',
  examples: ['reports list --config gateway.yaml --for shop-1'],
  takes: {
    config: CONFIG,
    login: requiredOption('--for <login>', 'login whose reports to list'),
  },
  run: async ({ config, login }) => {
    const { known } = await readReports(config, login)
    const rows = known.map(({ template }) => [template.identifier, template.title])
    console.log(table(['REPORT', 'TITLE'], rows))
  },
})

const SHOW = command({
  name: 'show',
  summary: 'print a request for a report',
  description:
    'Prints the JSON body of a request for a report on stdout. The login can send it as it is.',
  examples: [
    'reports show transactions-list \\\n    --config gateway.yaml --for shop-1 > request.json',
  ],
  takes: {
    config: CONFIG,
    identifier: argument('<report>', 'identifier of the report, as "reports list" shows it'),
    login: requiredOption('--for <login>', 'login that requests the report'),
  },
  run: async ({ config, identifier, login }) => {
    const { known, role } = await readReports(config, login)
    const report = known.find(({ template }) => template.identifier === identifier)
    if (!report) {
      const names = known.map(({ template }) => template.identifier).join(', ')
      const message = `${login} has no report ${identifier}. The reports for a ${role}: ${names}`
      throw new GatewayError('template', message)
    }
    console.log(JSON.stringify(exampleRequest(report.template, Date.now()), undefined, 2))
    console.error(`For ${login}, to ${config.publicUrl}${config.reportPath}`)
  },
})

export const REPORTS = group({
  name: 'reports',
  summary: 'list the reports of a login, print a request',
  description: 'Lists the reports that a login may request, and prints requests for them.',
  below: [LIST, SHOW],
})

export const CHECK = command({
  name: 'check',
  summary: 'check report files',
  description:
    'Checks every report file of a folder, as the gateway does at its start. Prints each fault with its file and ' +
    'line, and ends with 1 if there is one. The command needs no gateway and does not disturb one.',
  examples: ['check reports'],
  takes: {
    folder: argument<string | undefined>(
      '[folder]',
      'folder of the report files (default: reports)',
    ),
  },
  run: async ({ folder = 'reports' }) => {
    const { reports } = await withEmptyLedger((engine) => loadCatalogue(resolve(folder), engine))
    for (const { template } of reports.values()) {
      console.log(`${template.identifier}: ${counted(template.columns.length, 'column')}`)
    }
    console.log(`Nothing is wrong with ${counted(reports.size, 'report')}.`)
  },
})

async function readReports(config: Config, name: string) {
  const { role } = await withStore(config, (store) => requireLogin(store, name))
  return { role, known: reportsOf({ reports: await loadReports(config) }, role) }
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
