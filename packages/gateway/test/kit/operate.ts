import { parse } from 'csv-parse/sync'
import { encodeForm } from '@counterfoil/signing'
import * as z from 'zod'
import { loadConfig } from '../../src/config/config.ts'
import { type Engine, readRows } from '../../../engine/src/engine/engine.ts'
import { openEngine } from '../../src/serve/open-engine.ts'
import { HIERARCHY } from '../../../ledger/src/model/hierarchy.ts'
import { type Answer, type AskOptions, ask, parameters } from './ask.ts'
import type { Login, Sandbox } from './sandbox.ts'

/** The gateway that gets the operation. */
export interface Operated {
  readonly sandbox: Sandbox
  readonly reportUrl: string
}

/** The fields of an operation's form. */
export type Form = Readonly<Record<string, string>>

export const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Card numbers of no scheme, each with its outcome in docs/sandbox.md. */
export const CARDS = {
  approved: '9001000000000000',
  declined: '9001000000000018',
  filtered: '9001000000000042',
  error: '9001000000000067',
  unknown: '9001000000000075',
  delayed: '9001000000000083',
  delayedDeclined: '9001000000000091',
} as const

/** An endpoint of an operation, with its currency. */
export interface OwnEndpoint {
  readonly id: string
  readonly merchantId: string
  readonly currency: string
}

const endpointRow = z
  .object({ endpoint_id: z.string(), merchant_id: z.string(), currency: z.string() })
  .transform((row): OwnEndpoint => {
    return { id: row.endpoint_id, merchantId: row.merchant_id, currency: row.currency }
  })

/** Finds an endpoint of a login and one of another merchant. Both have a currency with two fraction digits. */
export async function findEndpoints(engine: Engine, { sees }: Login) {
  const sql = `SELECT endpoint_id, merchant_id, endpoint.currency AS currency FROM (${HIERARCHY}) AS endpoint
    JOIN currencies USING currency WHERE exponent = 2 ORDER BY length(endpoint_id), endpoint_id`
  const endpoints = await readRows(engine, endpointRow, sql)
  const own = endpoints.find(({ merchantId }) => sees.includes(merchantId))
  const foreign = endpoints.find(({ merchantId }) => !sees.includes(merchantId))
  if (!own || !foreign) throw new Error('expected endpoints of the login and of somebody else')
  return { own, foreign }
}

/** The same for a sandbox whose ledger no process has open. */
export async function findEndpointsIn(sandbox: Sandbox, login: Login) {
  const engine = await openEngine(loadConfig(await sandbox.writeConfig()))
  const endpoints = await findEndpoints(engine, login)
  await engine.close()
  return endpoints
}

/** A form of transfer-by-ref that is approved. */
export function byRef(orderId: string, { currency }: OwnEndpoint, change: Form = {}) {
  return {
    client_orderid: orderId,
    amount: '10.42',
    currency,
    order_desc: 'An order',
    'destination-card-no': CARDS.approved,
    ...change,
  }
}

/** The URL of an operation: `v4/transfer/1144`. */
export function operationUrl({ reportUrl }: Operated, path: string): string {
  return `${new URL(reportUrl).origin}/gate/api/${path}`
}

/**
 * Sends a signed operation. The log and the data are searched for its card numbers later.
 *
 * @throws if the answer contains a card number of the form
 */
export async function operate(
  gateway: Operated,
  login: Login,
  path: string,
  form: Form,
  options: AskOptions = {},
): Promise<Answer> {
  const { sandbox } = gateway
  const body = encodeForm(Object.entries(form))
  const asked = { sandbox, reportUrl: operationUrl(gateway, path) }
  const answer = await ask(asked, login, body, { contentType: FORM_TYPE, ...options })
  const sent = `${Object.values(form).join()},${String(options.body)}`.match(/\d{12,19}/g) ?? []
  if (form['cvv2']) sandbox.cvvs.add(form['cvv2'])
  for (const number of sent) {
    sandbox.secrets.add(number)
    sandbox.cardNumbers.add(number)
    if (answer.text.includes(number)) throw new Error('expected no card number in an answer')
  }
  return answer
}

/** Sends a transfer by reference, and parses the answer. */
export async function transfer(
  gateway: Operated,
  login: Login,
  own: OwnEndpoint,
  orderId: string,
  change: Form = {},
) {
  const form = byRef(orderId, own, change)
  const answer = await operate(gateway, login, `v4/transfer-by-ref/${own.id}`, form)
  return { ...answer, content: JSON.parse(answer.text) }
}

/** Requests today's transactions of a login, and returns their rows by the columns' names. */
export async function reported(
  gateway: Operated,
  login: Login,
  columns: readonly string[] = ['Merchant_OID', 'Amount', 'Status', 'Transaction_id'],
): Promise<readonly Readonly<Record<string, string>>[]> {
  const request = {
    reportIdentifier: 'transactions-list',
    ...parameters({ dateFrom: TODAY }),
    outputReportParameters: columns,
  }
  const { status, text } = await ask(gateway, login, request)
  if (status !== 200) throw new Error(`expected a report, got ${text}`)
  return parse<Record<string, string>>(text, { columns: true })
}

const TODAY = new Date().toISOString().slice(0, 10)
