import {
  type Alternative,
  type Field,
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

/** The alternatives that the person chose, by the title of their choice. */
export const chosen = signal<Readonly<Record<string, string>>>({})

// The next person at this page must not see the card number of the one before, and has other endpoints.
effect(() => {
  if (session.value) return
  values.value = { client_orderid: makeOrderId() }
  endpoint.value = ''
})

/** The fields to show: the required ones, those of the chosen alternatives, and the other optional ones. */
export const shownFields = computed(() => {
  const { fields, choices } = operation.value
  const all = choices.flatMap(({ alternatives }) => alternatives).flatMap(namesOf)
  const shown = choices.flatMap((choice) => namesOf(alternativeOf(choice)))
  return {
    required: fields.filter(({ name, required }) => required && !all.includes(name)),
    inChoice: fields.filter(({ name }) => shown.includes(name)),
    optional: fields.filter(({ name, required }) => !required && !all.includes(name)),
  }
})

/** The form to send: the shown fields that have a value. */
export const form = computed((): Readonly<Record<string, string>> => {
  const pairs = Object.values(shownFields.value)
    .flat()
    .map((field) => [field.name, valueOf(field)] as const)
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

/** Returns the value of a field. A boolean that chooses an alternative is always true. */
export function valueOf({ name, kind }: Field): string {
  const isChoice = operation.value.choices.some((choice) => alternativeOf(choice).field === name)
  return kind === 'boolean' && isChoice ? 'true' : (values.value[name] ?? '')
}

/** Returns the alternative of a choice that the person chose, or else the one that needs no value, or the first. */
export function alternativeOf({ title, alternatives }: Operation['choices'][number]): Alternative {
  const named = alternatives.find(({ field }) => field === chosen.value[title])
  const flags = operation.value.fields.filter(({ kind }) => kind === 'boolean')
  const flag = alternatives.find(({ field }) => flags.some(({ name }) => name === field))
  const alternative = named ?? flag ?? alternatives[0]
  if (!alternative) throw new Error(`the choice ${title} has no alternatives`)
  return alternative
}

/** Returns the fields of an alternative. */
export function namesOf({ field, requires = [], allows = [] }: Alternative): readonly string[] {
  return [field, ...requires, ...allows]
}

/** Makes an order id that the gateway has not seen. */
export function makeOrderId(): string {
  return `console-${crypto.randomUUID().slice(0, 8)}`
}
