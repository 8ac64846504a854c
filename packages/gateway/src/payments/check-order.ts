import type { OperationFault } from '@counterfoil/protocol'
import type { Endpoint } from './endpoints.ts'

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
