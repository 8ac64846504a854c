import type { KeyObject } from 'node:crypto'
import {
  errorResponse,
  faultsResponse,
  OPERATION_ERRORS,
  type Operation,
  type OperationAnswer,
  type OperationFault,
  type ValidatedForm,
  validateForm,
} from '@counterfoil/protocol'
import { parseAuthorization, parseForm } from '@counterfoil/signing'
import { type Authenticator, authenticate, noteCaller } from '../authenticate/authenticate.ts'
import { failureOf, type Outcome, type ReceivedRequest } from '../outcome/outcome.ts'
import type { IdempotencyKey, OperationMaxima, Outbox } from '@counterfoil/store'
import { reduceForm } from './cards.ts'
import type { Endpoint, Endpoints } from './endpoints.ts'
import { answerOrder, outboxEntries } from './orders.ts'

export interface OperationDependencies {
  readonly authenticator: Authenticator
  readonly outbox: Outbox
  readonly endpoints: Endpoints
  /** How many operations the store keeps of each login, and accepts of it on a day (UTC). */
  readonly perLoginMax: number
  readonly perLoginAndDayMax: number
  /** Returns the key that hashes forms, by the version of the master key that it is derived from. */
  readonly hashKeyOf: (keyVersion: number) => KeyObject
  /** The version of the master key for new orders. */
  readonly keyVersion: number
  readonly now: () => number
  /** Returns a text that no other answer has. */
  readonly makeSerialNumber: () => string
}

/**
 * Handles a form operation, from its raw bytes to its answer. The gateway answers after the operation is in the outbox.
 * A faulty form gets the answer `validation-error`, and creates nothing.
 */
export async function handleOperation(
  dependencies: OperationDependencies,
  operation: Operation,
  request: ReceivedRequest,
): Promise<Outcome> {
  const serialNumber = dependencies.makeSerialNumber()
  request.note({ operation: operation.name })
  const refuse = (faults: readonly [OperationFault, ...OperationFault[]]): Outcome => {
    const [{ error }] = faults
    request.note({ code: error })
    const content = faultsResponse(faults, serialNumber)
    return { kind: 'reply', status: OPERATION_ERRORS[error].status, content }
  }
  try {
    const identity = await authenticate(dependencies.authenticator, request)
    if (identity.kind === 'refusal') return identity
    const { login } = identity
    noteCaller(request, identity)
    request.note({ serialNumber })

    const endpointId = request.target.split('?')[0]?.split('/').at(-1) ?? ''
    const endpoint = await dependencies.endpoints.find(login, endpointId)
    if (!endpoint) {
      const expected = 'expected the id of one of your endpoints at the end of the path'
      return refuse([{ error: 'unknown-endpoint', field: '', expected }])
    }
    const read = readForm(operation, request)
    if ('faults' in read) return refuse(read.faults)
    const form = reduceForm(operation, endpointId, read.values)
    const clientOrderId = form.texts.get('client_orderid') ?? ''
    const idempotencyKey: IdempotencyKey = { login: login.name, clientOrderId }
    const acceptedAt = new Date(dependencies.now())
    // A retry gets the first answer, also after its card has expired or its endpoint has changed.
    const isRetry = await dependencies.outbox.has(idempotencyKey)
    const [fault, ...others] = isRetry ? [] : checkOrder(read.values, endpoint, acceptedAt)
    if (fault) return refuse([fault, ...others])

    const { perLoginMax: perLogin, perLoginAndDayMax: perDay } = dependencies
    const maxima = { perLogin, perDay, day: Math.floor(acceptedAt.getTime() / DAY_MS) }
    const accepted = await dependencies.outbox.accept(idempotencyKey, maxima, (number) => {
      const order = { operation, form, endpoint, number, acceptedAt }
      const { keyVersion } = dependencies
      return {
        fieldsHash: form.hash(dependencies.hashKeyOf(keyVersion)),
        keyVersion,
        answer: JSON.stringify(answerOrder(order, serialNumber)),
        entries: outboxEntries(order),
      }
    })
    if (!accepted) return refuse([tooManyOperations(maxima)])
    const hash = form.hash(dependencies.hashKeyOf(accepted.keyVersion))
    if (hash !== accepted.fieldsHash) {
      const expected = 'expected a new client order id, or the same fields as before'
      return refuse([{ error: 'order-id-taken', field: 'client_orderid', expected }])
    }
    const answer: OperationAnswer = JSON.parse(accepted.answer)
    request.note({ serialNumber: answer['serial-number'] })
    return { kind: 'reply', content: answer }
  } catch (error) {
    const failure = failureOf(error)
    if (error === request.bodyFault) return failure
    const isPassing = TRY_AGAIN.includes(failure.error.code)
    const name = isPassing ? 'unavailable' : 'internal-error'
    return { ...failure, content: errorResponse(name, '', serialNumber) }
  }
}

const DAY_MS = 86_400_000

const TRY_AGAIN: readonly string[] = ['engine-busy', 'store-busy', 'shutting-down']

function tooManyOperations({ perLogin, perDay }: OperationMaxima): OperationFault {
  const maximum = `The sandbox accepts at most ${perDay} operations of a login in a day (UTC), and stores ${perLogin}`
  const advice = 'Ask the operator to raise payments.perLoginAndDayMax or payments.perLoginMax'
  return { error: 'too-many-operations', field: '', expected: `${maximum}. ${advice}` }
}

/**
 * Parses the body of an authenticated request as the form of an operation. `http/` has checked that the body is a form.
 *
 * Refuses fields outside the body. A signature does not cover the place of a parameter, so somebody on the network
 * could move a field out of the form, and the operation would lack it.
 */
function readForm(operation: Operation, request: ReceivedRequest): ValidatedForm {
  const { target, authorization, body } = request
  if (target.includes('?')) return unreadable('expected every field in the body, and no query')
  const { parameters } = parseAuthorization(String(authorization))
  if (parameters.some(([name]) => !name.startsWith('oauth_'))) {
    return unreadable('expected every field in the body, and none in the Authorization header')
  }
  return validateForm(operation, parseForm(body))
}

function unreadable(expected: string): ValidatedForm {
  return { faults: [{ error: 'unreadable-form', field: '', expected }] }
}

/** Checks the fields that depend on the endpoint or on today's date: currency, amount and the card's expiry. */
function checkOrder(
  values: ReadonlyMap<string, string>,
  { currency, exponent }: Endpoint,
  now: Date,
): readonly OperationFault[] {
  const month = now.toISOString().slice(0, 7)
  const digits = `expected an amount of at most ${exponent} fraction digits`
  const checks: readonly [OperationFault, isIt: (value: string) => boolean][] = [
    [
      { error: 'unknown-currency', field: 'currency', expected: `expected ${currency}` },
      (value) => value === currency,
    ],
    [
      { error: 'amount-digits', field: 'amount', expected: digits },
      (value) => (value.split('.')[1] ?? '').length <= exponent,
    ],
    [
      { error: 'card-expired', field: 'expire_year', expected: `expected ${month} or later` },
      (year) => `${year}-${values.get('expire_month') ?? '12'}` >= month,
    ],
  ]
  return checks.flatMap(([fault, isIt]) => {
    const value = values.get(fault.field)
    return value === undefined || isIt(value) ? [] : [fault]
  })
}
