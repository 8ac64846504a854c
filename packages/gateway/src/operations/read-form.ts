import { type Operation, type ValidatedForm, validateForm } from '@counterfoil/protocol'
import { isForm, parseForm } from '@counterfoil/signing'
import type { ReceivedRequest } from '../outcome.ts'

/** Reads a request's body as the form of an operation. What is no form at all was refused with the signature. */
export function readForm(operation: Operation, request: ReceivedRequest): ValidatedForm {
  const { target, contentType, contentEncoding, body } = request
  if (target.includes('?')) return unreadable('expected every field in the body, and no query')
  if (!isForm(contentType) || contentEncoding !== undefined) {
    return unreadable('expected Content-Type: application/x-www-form-urlencoded, uncompressed')
  }
  return validateForm(operation, parseForm(body))
}

function unreadable(expected: string): ValidatedForm {
  return { faults: [{ error: 'unreadable-form', field: '', expected }] }
}
