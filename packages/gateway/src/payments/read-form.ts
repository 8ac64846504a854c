import {
  type Operation,
  type OperationFault,
  type ValidatedForm,
  validateForm,
} from '@counterfoil/protocol'
import { parseAuthorization, parseForm } from '@counterfoil/signing'
import type { ReceivedRequest } from '../outcome/outcome.ts'
import type { Endpoint } from './endpoints.ts'

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

/** Checks the fields that depend on the endpoint or on today's date: currency, amount and the card's expiry. */
export function checkOrder(
  values: ReadonlyMap<string, string>,
  { currency, exponent }: Endpoint,
  now: Date,
): readonly OperationFault[] {
  const faults: OperationFault[] = []
  const check = (field: string, error: OperationFault['error'], expected: string, isIt: Check) => {
    const value = values.get(field)
    if (value !== undefined && !isIt(value)) faults.push({ error, field, expected })
  }
  check('currency', 'unknown-currency', `expected ${currency}`, (value) => value === currency)
  const digits = `expected an amount of at most ${exponent} fraction digits`
  check('amount', 'amount-digits', digits, (value) => fractionOf(value).length <= exponent)
  const month = now.toISOString().slice(0, 7)
  check('expire_year', 'card-expired', `expected ${month} or later`, (year) => {
    return `${year}-${values.get('expire_month') ?? '12'}` >= month
  })
  return faults
}

type Check = (value: string) => boolean

function fractionOf(amount: string): string {
  return amount.split('.')[1] ?? ''
}
