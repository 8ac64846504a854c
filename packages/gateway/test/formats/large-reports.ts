import { buffer } from 'node:stream/consumers'
import { beforeAll, expect } from 'vitest'
import type { FormatName } from '../../../formats/src/format/formats.ts'
import { type Catalogue, loadCatalogue } from '../../../templates/src/template/load-templates.ts'
import { ask, open, parameters } from '../kit/ask.ts'
import { runWithoutHttp } from '../kit/run-without-http.ts'
import { type RunningGateway, untilRunning } from '../kit/running-gateway.ts'
import { serveSandbox } from '../kit/served-sandbox.ts'

const LIST = { reportIdentifier: 'transactions-list' }
const OPERATOR = { login: 'operator', role: 'operator', sees: [] } as const
/** Much longer than ending a query takes, and much shorter than the report. */
export const ENDED_MS = 5000

// Many more rows than the engine computes ahead of a reader.
const LATE_ROW = 36_000

/** A period of some rows. */
export const ONE_DAY = parameters({ dateFrom: '2026-10-30', dateTo: '2026-10-31' })
/** A period of many thousand rows. */
export const FOUR_MONTHS = parameters({ dateFrom: '2026-07-01', dateTo: '2026-11-01' })

/** A gateway with many transactions. */
export interface LargeReports {
  readonly gateway: RunningGateway
  readonly operator: Parameters<typeof ask>[1]
  /** Runs a report twice. */
  readonly runTwice: (format: FormatName, period: typeof ONE_DAY) => Promise<readonly Run[]>
  /** Asks for a report that breaks after several chunks. Returns what the reader gets. */
  readonly askForBroken: (format: FormatName) => Promise<typeof CUT_OFF>
  /** Stops reading a report after its first bytes. Returns how long its query goes on. */
  readonly leave: (format: FormatName) => Promise<number>
}

type Run = Awaited<ReturnType<typeof runWithoutHttp>>

/** What the reader of a report gets that breaks: status 200, and never a complete file. */
export const CUT_OFF = { status: 200, error: 'ECONNRESET', isComplete: false, trailers: {} }

/** Serves a ledger of 80,000 transactions until the last test of the file has run. */
export async function serveLargeReports(): Promise<LargeReports> {
  const { sandbox, gateway } = await serveSandbox([80_000])
  const { operator } = sandbox.logins
  let catalogue: Catalogue
  /** The order at which a report breaks: the engine has sent several chunks before. */
  let lateOrder: string
  beforeAll(async () => {
    catalogue = await loadCatalogue(sandbox.reports, gateway.engine)
    const { text } = await ask(gateway, operator, LIST)
    const order = [...text.matchAll(/"ORD-(\d+)"/g)][LATE_ROW]?.[1]
    lateOrder = String(700_000_000 + Number(order))
  })
  return {
    gateway,
    operator,
    runTwice: async (reportFormat, period) => {
      const now = Date.UTC(2026, 10, 20)
      const source = { engine: gateway.engine, catalogue, now }
      const request = { ...LIST, ...period, reportFormat }
      return [
        await runWithoutHttp(source, OPERATOR, request),
        await runWithoutHttp(source, OPERATOR, request),
      ]
    },
    askForBroken: async (reportFormat) => {
      const late = { reportIdentifier: 'late-failure', ...parameters({ breaksAt: lateOrder }) }
      const answer = await open(gateway, operator, { ...late, reportFormat })
      const error = await buffer(answer).then(
        () => '',
        ({ code }) => String(code),
      )
      const { statusCode: status = 0, complete: isComplete, trailers } = answer
      const outcome = status === 200 ? 'aborted' : 'problem'
      await expect.poll(() => gateway.lines().at(-1)).toMatchObject({ outcome })
      return { status, error, isComplete, trailers }
    },
    leave: async (reportFormat) => {
      const wide = { reportIdentifier: 'wide-rows', reportFormat, ...parameters({ width: '4000' }) }
      const answer = await open(gateway, operator, wide)
      for await (const _ of answer) break
      return await untilRunning(gateway.engine, 0)
    },
  }
}
