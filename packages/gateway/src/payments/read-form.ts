import { type Operation, type ValidatedForm, validateForm } from '@counterfoil/protocol'
import { parseForm } from '@counterfoil/signing'
import type { ReceivedRequest } from '../outcome.ts'

/** Parses a request's body as the form of an operation. `http/` has checked that the body is a form. */
export function readForm(operation: Operation, request: ReceivedRequest): ValidatedForm {
  const { target, body } = request
  if (target.includes('?')) return unreadable('expected every field in the body, and no query')
  return validateForm(operation, parseForm(body))
}

function unreadable(expected: string): ValidatedForm {
  return { faults: [{ error: 'unreadable-form', field: '', expected }] }
}
