import { answerCaller } from '../authenticate/authenticate.ts'
import type { Catalogue } from '@counterfoil/protocol'
import type { Outcome, ReceivedRequest } from '../outcome/outcome.ts'
import type { Login } from '@counterfoil/store'
import { describedReports } from './described-reports.ts'
import { parseEmptyObject } from './envelope.ts'
import { readFilterValues } from './filter-values.ts'
import type { ReportDependencies } from './handle-report.ts'

/** The dependencies of `handleCatalogue`. */
export interface CatalogueDependencies
  extends Pick<
    ReportDependencies,
    | 'engineQueue'
    | 'engine'
    | 'identify'
    | 'catalogue'
    | 'newestRows'
    | 'syncedAt'
    | 'now'
    | 'timezone'
  > {
  /** Returns the endpoints that a login can use in form operations. */
  readonly endpointsOf: (
    login: Login,
  ) => Promise<readonly { readonly endpoint_id: string; readonly currency: string }[]>
}

/** Handles a request for the catalogue: authenticates the caller, and lists the caller's reports and endpoints. */
export async function handleCatalogue(
  dependencies: CatalogueDependencies,
  request: ReceivedRequest,
  signal: AbortSignal,
): Promise<Outcome> {
  return await answerCaller(dependencies.identify, request, signal, async ({ login }) => {
    const { name, role, timezone = dependencies.timezone } = login

    parseEmptyObject(request.body)
    const endpoints = (await dependencies.endpointsOf(login)).map((endpoint) => {
      return { id: endpoint.endpoint_id, currency: endpoint.currency }
    })
    const { newestRows, filterValues } = await readLedger(dependencies, login, signal)
    const syncedAt = await dependencies.syncedAt()
    const head = JSON.stringify({ login: name, role, newestRows, syncedAt }).slice(0, -1)
    const reports = describedReports(dependencies.catalogue(), role, dependencies.now(), timezone)
    const tail = JSON.stringify({ filterValues, endpoints }).slice(1)
    const text = `${head},"reports":${reports},${tail}\n`
    return { kind: 'text', contentType: 'application/json', text }
  })
}

/** Reads what the ledger has for a login, in a place of the login as a report does. */
async function readLedger(
  { engineQueue, engine, newestRows }: CatalogueDependencies,
  login: Login,
  signal: AbortSignal,
): Promise<Required<Pick<Catalogue, 'newestRows' | 'filterValues'>>> {
  const read = async () => ({
    newestRows: {
      transactions: await newestRows.of('transactions', login, signal),
      statements: await newestRows.of('statements', login, signal),
    },
    filterValues: await readFilterValues(login, engine, signal),
  })
  return await engineQueue.run(login.name, read, signal)
}
