import { type Operation, type ValidatedForm, validateForm } from '@counterfoil/protocol'
import { parseAuthorization, parseForm } from '@counterfoil/signing'
import type { ReceivedRequest } from '../outcome/outcome.ts'

/**
 * Parses the body of an authenticated request as the form of an operation. `http/` has checked that the body is a form.
 *
 * Refuses fields outside the body. A signature does not cover the place of a parameter, so somebody on the network
 * could move a field out of the form, and the operation would lack it.
 */
export function readForm(operation: Operation, request: ReceivedRequest): ValidatedForm {
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
