import {
  errorResponse,
  faultsResponse,
  OPERATION_ERRORS,
  type Operation,
  type OperationFault,
} from '@counterfoil/protocol'
import { type Authenticator, authenticate } from '../authenticate/authenticate.ts'
import { failureOf, type Outcome, type ReceivedRequest } from '../outcome.ts'
import type { Journal } from '../store/journal.ts'
import { answerOperation } from './answer-operation.ts'
import { type HashKeyOf, reduceForm } from './cards.ts'
import { checkOrder } from './check-order.ts'
import type { FindEndpoint } from './endpoints.ts'
import { ledgerEntries } from './ledger-rows.ts'
import { readForm } from './read-form.ts'

/** What the way of an operation goes through. */
export interface OperationParts {
  readonly authenticator: Authenticator
  readonly journal: Journal
  readonly findEndpoint: FindEndpoint
  readonly hashKeyOf: HashKeyOf
  /** The version of the key that new operations are hashed with. */
  readonly keyVersion: number
  readonly now: () => number
  /** A text that no other answer has. */
  readonly makeSerialNumber: () => string
}

/** What became known of an operation on its way, for its log line. */
export interface OperationTrace {
  login?: string
  code?: string | undefined
}

/**
 * The way of a form operation, from its raw bytes to its answer, which is given once the operation is in the journal.
 * What is wrong with the form is a value, `validation-error`: nothing was created.
 */
export async function handleOperation(
  parts: OperationParts,
  operation: Operation,
  request: ReceivedRequest,
  trace: OperationTrace,
): Promise<Outcome> {
  const refuse = (faults: readonly [OperationFault, ...OperationFault[]]): Outcome => {
    const [{ error }] = faults
    trace.code = error
    const content = faultsResponse(faults, parts.makeSerialNumber())
    return { kind: 'page', status: OPERATION_ERRORS[error].status, content }
  }
  try {
    const identity = await authenticate(parts.authenticator, request)
    if (identity.kind === 'refusal') return identity
    const { consumer } = identity
    trace.login = consumer.login

    const endpointId = endpointIdOf(request)
    const endpoint = await parts.findEndpoint(consumer, endpointId)
    if (!endpoint) return refuse([UNKNOWN_ENDPOINT])
    const read = readForm(operation, request)
    if ('faults' in read) return refuse(read.faults)
    const acceptedAt = new Date(parts.now())
    const [fault, ...others] = checkOrder(read.values, endpoint, acceptedAt)
    if (fault) return refuse([fault, ...others])

    const form = reduceForm(operation, endpointId, read.values, parts.hashKeyOf)
    const clientOrderId = form.texts.get('client_orderid') ?? ''
    const key = { login: consumer.login, clientOrderId }
    const accepted = await parts.journal.accept(key, (number) => {
      const order = { operation: operation.name, form, endpoint, number, acceptedAt }
      const answer = answerOperation(operation, order, parts.makeSerialNumber())
      const { keyVersion } = parts
      return {
        fieldsHash: form.hash(keyVersion),
        keyVersion,
        answer: JSON.stringify(answer),
        entries: ledgerEntries(order),
      }
    })
    if (form.hash(accepted.keyVersion) !== accepted.fieldsHash) return refuse([ORDER_ID_TAKEN])
    return { kind: 'page', content: JSON.parse(accepted.answer) }
  } catch (error) {
    const failure = failureOf(error)
    const name = failure.error.code === 'shutting-down' ? 'shutting-down' : 'internal-error'
    return { ...failure, content: errorResponse(name, '', parts.makeSerialNumber()) }
  }
}

const UNKNOWN_ENDPOINT: OperationFault = {
  error: 'unknown-endpoint',
  field: '',
  expected: 'expected the id of one of your endpoints at the end of the path',
}

const ORDER_ID_TAKEN: OperationFault = {
  error: 'order-id-taken',
  field: 'client_orderid',
  expected: 'expected a new one, or the same fields as before',
}

/** What stands last in the path. */
function endpointIdOf({ target }: ReceivedRequest): string {
  const [path = ''] = target.split('?')
  return path.slice(path.lastIndexOf('/') + 1)
}
