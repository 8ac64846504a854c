import {
  type Operation,
  type OperationFault,
  type OperationName,
  OPERATIONS,
  validateForm,
} from '@counterfoil/protocol'
import { computed, effect, signal } from '@preact/signals'
import { session } from '../session/session.ts'

/** The operation that the person fills in. */
export const operationName = signal<OperationName>('transfer-by-ref')

export const operation = computed((): Operation => OPERATIONS[operationName.value])

/** The values by the fields' names. Those that the operation does not have, or that are empty, are not sent. */
export const values = signal<Readonly<Record<string, string>>>({ client_orderid: makeOrderId() })

/** The endpoint that the operation names in its path. Empty stands for the first one. */
export const endpoint = signal('')

// The next person at this page must not see the card number of the one before, and has other endpoints.
effect(() => {
  if (session.value) return
  values.value = { client_orderid: makeOrderId() }
  endpoint.value = ''
})

/** The form to send: the fields that have a value. */
export const form = computed((): Readonly<Record<string, string>> => {
  const pairs = operation.value.fields.map(({ name }) => [name, values.value[name] ?? ''] as const)
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''))
})

/** What is wrong with the form. The gateway checks the same. */
export const faults = computed((): readonly OperationFault[] => {
  const validated = validateForm(operation.value, Object.entries(form.value))
  return 'faults' in validated ? validated.faults : []
})

/** Sets the value of a field. */
export function setValue(name: string, value: string): void {
  values.value = { ...values.value, [name]: value }
}

/** Makes an order id that the gateway has not seen. */
export function makeOrderId(): string {
  return `console-${crypto.randomUUID().slice(0, 8)}`
}
