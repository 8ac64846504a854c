import { type FieldKind, type OperationName, OPERATIONS } from '@counterfoil/protocol'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ErrorNote } from '../controls/error-note.tsx'
import { RadioChoice, SelectField, TextField } from '../controls/fields.tsx'
import { gateway, session } from '../session/session.ts'
import { openSignature } from '../sign/draft.ts'
import {
  endpoint,
  faults,
  form,
  makeOrderId,
  operation,
  operationName,
  setValue,
  values,
} from './form.ts'

/** Kinds of values that people type with digits. */
const NUMERIC: readonly FieldKind[] = ['card', 'cvv', 'digits', 'month', 'year', 'card-id']

// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const NAMES = Object.keys(OPERATIONS) as OperationName[]

/** The four form operations of a sandbox, filled in by hand. */
export function PaymentsView() {
  const answer = useSignal<object | undefined>(undefined)
  const fault = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const [firstFault] = faults.value
  const isFaulty = firstFault !== undefined
  useEffect(() => chooseEndpoint(endpointId()), [])
  // The gateway answers a repeated order id with its first answer.
  const renewOrder = () => setValue('client_orderid', makeOrderId())
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const { client } = session.value ?? {}
    if (!client) return
    isBusy.value = true
    fault.value = answer.value = undefined
    try {
      answer.value = await client.payments.call(operationName.value, endpointId(), form.value)
      renewOrder()
    } catch (error) {
      fault.value = error
    } finally {
      isBusy.value = false
    }
  }
  const chooseOperation = (name: OperationName) => {
    operationName.value = name
    fault.value = answer.value = undefined
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
        <button type="submit" class="primary" disabled={isBusy.value || isFaulty}>
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
      <ErrorNote error={fault.value} />
      {answer.value && (
        <div class="note good" role="status">
          <strong>The gateway accepted the operation.</strong>
          <pre>{JSON.stringify(answer.value, undefined, 2)}</pre>
        </div>
      )}
    </form>
  )
}

/** Shows how the request of the operation is signed. */
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
