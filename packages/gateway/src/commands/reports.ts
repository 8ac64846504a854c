import type { Command } from 'commander'
import type { Config } from '../config/config.ts'
import { GatewayError } from '../errors.ts'
import { exampleRequest } from '../report/describe-report.ts'
import { reportsOf } from '../report/find-report.ts'
import type { Role } from '../store/store.ts'
import { type CatalogueReport, loadCatalogue } from '../templates/load-templates.ts'
import { table } from './table.ts'
import { withEmptyLedger } from './with-empty-ledger.ts'
import { withStore } from './with-store.ts'

interface Options {
  readonly config: string
  readonly for: string
}

/** Adds `reports list` and `reports show`: what a login may ask for, and the body of the request. */
export function addReportCommands(program: Command): void {
  const reports = program
    .command('reports')
    .description('which reports a login may ask for, and how')
  reports
    .command('list')
    .description('list the reports that a login may ask for')
    .requiredOption('--config <file>', 'the configuration')
    .requiredOption('--for <login>', 'who asks')
    .action(async (options: Options) => {
      const { known } = await readReports(options)
      const rows = known.map(({ template }) => [template.identifier, template.title])
      console.log(table(['REPORT', 'TITLE'], rows))
    })
  reports
    .command('show')
    .description('print the JSON body of a request for a report: it can be sent as it is')
    .argument('<report>', 'its identifier')
    .requiredOption('--config <file>', 'the configuration')
    .requiredOption('--for <login>', 'who asks')
    .action(async (identifier: string, options: Options) => {
      const { known, role, config } = await readReports(options)
      const report = known.find(({ template }) => template.identifier === identifier)
      if (!report) {
        const names = known.map(({ template }) => template.identifier).join(', ')
        throw new GatewayError('template', `expected a report for a ${role}: ${names}`)
      }
      console.log(JSON.stringify(exampleRequest(report.template, Date.now()), undefined, 2))
      console.error(`For ${options.for}, to ${config.publicUrl}${config.reportPath}`)
    })
}

/** The reports that a login may ask for. */
async function readReports({ config: file, for: login }: Options): Promise<{
  readonly known: readonly CatalogueReport[]
  readonly role: Role
  readonly config: Config
}> {
  const found = await withStore(file, async (store, config) => {
    return { consumer: await store.findConsumer(login), config }
  })
  const { consumer, config } = found
  if (!consumer) {
    const hint = '"merchants list" shows them'
    throw new GatewayError('credentials', `expected a login that there is: ${hint}`)
  }
  const catalogue = await withEmptyLedger((engine) => loadCatalogue(config.reports, engine))
  return { known: reportsOf(catalogue, consumer.role), role: consumer.role, config }
}
