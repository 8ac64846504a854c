import {
  type FieldKind,
  type Operation,
  type OperationFault,
  type OperationName,
  OPERATIONS,
  validateForm,
} from '@counterfoil/protocol'
import { computed, effect, signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ErrorNote } from '../controls/error-note.tsx'
import { RadioChoice, SelectField, TextField } from '../controls/fields.tsx'
import { useAction } from '../controls/use-action.ts'
import { gateway, session } from '../session/session.ts'
import { openSignature } from '../sign/draft.ts'

const operationName = signal<OperationName>('transfer-by-ref')

const operation = computed((): Operation => OPERATIONS[operationName.value])

/** The values by the fields' names. Those that the operation does not have, or that are empty, are not sent. */
const values = signal<Readonly<Record<string, string>>>({ client_orderid: makeOrderId() })

const endpoint = signal('')

// The next person at this page must not see the card number of the one before, and has other endpoints.
effect(() => {
  if (session.value) return
  values.value = { client_orderid: makeOrderId() }
  endpoint.value = ''
})

const form = computed((): Readonly<Record<string, string>> => {
  const pairs = operation.value.fields.map(({ name }) => [name, values.value[name] ?? ''] as const)
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''))
})

const faults = computed((): readonly OperationFault[] => {
  const validated = validateForm(operation.value, Object.entries(form.value))
  return 'faults' in validated ? validated.faults : []
})

function setValue(name: string, value: string): void {
  values.value = { ...values.value, [name]: value }
}

function makeOrderId(): string {
  return `console-${crypto.randomUUID().slice(0, 8)}`
}

const NUMERIC: readonly FieldKind[] = ['card', 'cvv', 'digits', 'month', 'year', 'card-id']

// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const NAMES = Object.keys(OPERATIONS) as OperationName[]

export function PaymentsView() {
  const answer = useSignal<object | undefined>(undefined)
  const { isBusy, fault, run } = useAction()
  const [firstFault] = faults.value
  const isFaulty = firstFault !== undefined
  useEffect(() => chooseEndpoint(endpointId()), [])
  // The gateway answers a repeated order id with its first answer.
  const renewOrder = () => setValue('client_orderid', makeOrderId())
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    answer.value = undefined
    return run(async () => {
      const { payments } = session.value?.client ?? {}
      answer.value = await payments?.call(operationName.value, endpointId(), form.value)
      renewOrder()
    })
  }
  const chooseOperation = (name: OperationName) => {
    operationName.value = name
    answer.value = undefined
    return run(async () => {})
  }
  return (
    <form class="panel payments" onSubmit={submit} noValidate>
      <h1>Payments of the sandbox</h1>
      <p class="lead">
        Send one of the four form operations. The sandbox moves no money; its transactions appear in
        the reports.
      </p>
      <RadioChoice
        legend="Operation"
        options={NAMES.map((name) => [
          name,
          <span key={name}>
            {name} <small>{OPERATIONS[name].title}</small>
          </span>,
        ])}
        chosen={operationName.value}
        onChoose={chooseOperation}
      />
      <Fields />
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy || isFaulty}>
          Send
        </button>
        <button type="button" onClick={renewOrder}>
          New order id
        </button>
        <button type="button" disabled={isFaulty} onClick={openInSignature}>
          Show the signature
        </button>
        {firstFault && <small>{`${firstFault.field} ${firstFault.expected}`.trim()}</small>}
      </div>
      <ErrorNote error={fault} />
      {answer.value && (
        <div class="note good" role="status">
          <strong>The gateway accepted the operation.</strong>
          <pre>{JSON.stringify(answer.value, undefined, 2)}</pre>
        </div>
      )}
    </form>
  )
}

function openInSignature(): void {
  const url = `${gateway.value?.operationUrls?.[operationName.value] ?? ''}${endpointId()}`
  const contentType = 'application/x-www-form-urlencoded'
  const body = new URLSearchParams(form.value).toString()
  openSignature({ method: 'POST', url, contentType, body })
}

/** The fields of the operation. The required ones come first. */
function Fields() {
  const { fields } = operation.value
  const required = fields.filter((field) => field.required)
  const others = fields.filter((field) => !field.required)
  return (
    <div class="fields">
      <EndpointField />
      {[...required, ...others].map(({ name, title, kind, lengthMax, required: isRequired }) => (
        <TextField
          key={name}
          label={isRequired ? `${name} (required)` : name}
          hint={title}
          // An empty field shows no fault before the person has typed.
          fault={
            values.value[name] === undefined
              ? undefined
              : faults.value.find(({ field }) => field === name)?.expected
          }
          type={kind === 'cvv' ? 'password' : 'text'}
          value={values.value[name] ?? ''}
          maxLength={lengthMax}
          inputMode={NUMERIC.includes(kind) ? 'numeric' : undefined}
          onInput={(text) => setValue(name, text)}
        />
      ))}
    </div>
  )
}

/** A merchant chooses one of its endpoints. Others type its id. */
function EndpointField() {
  const { endpoints = [], filterValues } = session.value?.catalogue ?? {}
  if (endpoints.length === 0) {
    return (
      <TextField
        label="Endpoint"
        value={endpoint.value}
        inputMode="numeric"
        onInput={(text) => (endpoint.value = text)}
      />
    )
  }
  const names = new Map(filterValues?.endpoints?.values.map(({ id, name }) => [id, name]))
  return (
    <SelectField
      label="Endpoint"
      value={endpointId()}
      options={endpoints.map(({ id, currency }) => [
        id,
        `${[id, names.get(id)].filter(Boolean).join(' · ')} (${currency})`,
      ])}
      onChoose={chooseEndpoint}
    />
  )
}

/** Every endpoint has one currency. */
function chooseEndpoint(id: string): void {
  endpoint.value = id
  const found = session.value?.catalogue.endpoints?.find((candidate) => candidate.id === id)
  if (found) setValue('currency', found.currency)
}

function endpointId(): string {
  return endpoint.value || (session.value?.catalogue.endpoints?.[0]?.id ?? '')
}
