import { type Operation, type OperationFault, validateForm } from '@counterfoil/protocol'
import { isForm, parseForm, SigningError } from '@counterfoil/signing'
import type { ReceivedRequest } from '../outcome.ts'

/** A form as it was read: its values by the fields' own names, or what is wrong with it. */
export type ReadForm =
  | { readonly values: ReadonlyMap<string, string> }
  | { readonly faults: readonly [OperationFault, ...OperationFault[]] }

/** Reads a request's body as the form of an operation. */
export function readForm(operation: Operation, request: ReceivedRequest): ReadForm {
  const { target, contentType, contentEncoding, body } = request
  if (target.includes('?')) return unreadable('expected every field in the body, and no query')
  if (!isForm(contentType) || contentEncoding !== undefined) {
    return unreadable('expected Content-Type: application/x-www-form-urlencoded, uncompressed')
  }
  try {
    const read = validateForm(operation, parseForm(body))
    if ('values' in read) return read
    const [fault, ...others] = read.faults
    return fault ? { faults: [fault, ...others] } : { values: new Map() }
  } catch (error) {
    if (error instanceof SigningError) return unreadable(error.message)
    throw error
  }
}

function unreadable(expected: string): ReadForm {
  return { faults: [{ error: 'unreadable-form', field: '', expected }] }
}
