import { type OperationName, OPERATIONS } from '@counterfoil/protocol'
import { useSignal } from '@preact/signals'
import { Field } from '../report/field.tsx'
import { gateway } from '../session/gateway.ts'
import { session } from '../session/session.ts'
import { ErrorNote } from '../shell/error-note.tsx'
import { RadioChoice } from '../shell/radio-choice.tsx'
import { texts } from '../texts.ts'
import {
  endpoint,
  faults,
  form,
  operationName,
  renewOrder,
  setCurrency,
  shownFields,
} from './form.ts'
import { useEffect } from 'preact/hooks'
import { ChoiceFields, ValueField } from './value-field.tsx'
import './payments.css'

/** The four form operations of a sandbox, filled in by hand. */
export function PaymentsView() {
  const answer = useSignal<object | undefined>(undefined)
  const fault = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  useEffect(() => choose(endpointId()), [])
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const { client } = session.value ?? {}
    if (!client) return
    isBusy.value = true
    fault.value = answer.value = undefined
    try {
      answer.value = await client.payments.call(operationName.value, endpointId(), form.value)
      // The gateway would answer the same order id with the same answer.
      renewOrder()
    } catch (error) {
      fault.value = error
    } finally {
      isBusy.value = false
    }
  }
  return (
    <form class="panel payments" onSubmit={submit} noValidate autocomplete="off">
      <h1>{texts.payments.title}</h1>
      <p class="lead">{texts.payments.lead}</p>
      <Operations onChange={() => (fault.value = answer.value = undefined)} />
      <Fields />
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy.value || faults.value.length > 0}>
          {texts.payments.send}
        </button>
        <button type="button" onClick={renewOrder}>
          {texts.payments.newOrder}
        </button>
        <button
          type="button"
          disabled={faults.value.length > 0}
          onClick={() => void openInSignature()}
        >
          {texts.report.signature}
        </button>
        {faults.value.length > 0 && <small>{texts.payments.incomplete}</small>}
      </div>
      {fault.value !== undefined && <ErrorNote error={fault.value} />}
      {answer.value && (
        <div class="note good" role="status">
          <strong>{texts.payments.accepted}</strong>
          <pre>{JSON.stringify(answer.value, undefined, 2)}</pre>
        </div>
      )}
    </form>
  )
}

/** Shows how the request of the operation is signed. */
async function openInSignature(): Promise<void> {
  const { openSignature } = await import('../sign/to-sign.ts')
  const url = `${gateway.value?.operationUrls?.[operationName.value] ?? ''}${endpointId()}`
  const contentType = 'application/x-www-form-urlencoded'
  const body = new URLSearchParams(form.value).toString()
  openSignature({ method: 'POST', url, contentType, body })
}

function Operations({ onChange }: { readonly onChange: () => void }) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const names = Object.keys(OPERATIONS) as OperationName[]
  return (
    <RadioChoice
      legend={texts.payments.operation}
      options={names}
      chosen={operationName.value}
      onChoose={(name) => {
        operationName.value = name
        onChange()
      }}
      labelOf={(name) => (
        <span>
          {name} <small>{OPERATIONS[name].title}</small>
        </span>
      )}
    />
  )
}

function Fields() {
  const { required, chosen, optional } = shownFields.value
  return (
    <>
      <div class="fields">
        <EndpointField />
        {required.map((field) => (
          <ValueField key={field.name} field={field} />
        ))}
      </div>
      <ChoiceFields fields={chosen} />
      {optional.length > 0 && (
        <details>
          <summary>{texts.payments.optional}</summary>
          <div class="fields">
            {optional.map((field) => (
              <ValueField key={field.name} field={field} />
            ))}
          </div>
        </details>
      )}
    </>
  )
}

/** A merchant chooses one of its endpoints. Others type its id. */
function EndpointField() {
  const endpoints = session.value?.catalogue.endpoints ?? []
  return (
    <Field label={texts.payments.endpoint}>
      {(attributes) =>
        endpoints.length > 0 ? (
          <select
            {...attributes}
            value={endpointId()}
            onChange={(event) => choose(event.currentTarget.value)}
          >
            {endpoints.map(({ id, currency }) => (
              <option key={id} value={id}>
                {texts.payments.endpointOf(id, currency, nameOf(id))}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...attributes}
            value={endpoint.value}
            inputMode="numeric"
            onInput={(event) => (endpoint.value = event.currentTarget.value)}
          />
        )
      }
    </Field>
  )
}

function nameOf(id: string): string {
  const { filterValues } = session.value?.catalogue ?? {}
  return (
    filterValues?.endpoints?.values.find((endpointValue) => endpointValue.id === id)?.name ?? ''
  )
}

/** Every endpoint has one currency. */
function choose(id: string): void {
  endpoint.value = id
  const { endpoints = [] } = session.value?.catalogue ?? {}
  const found = endpoints.find((candidate) => candidate.id === id)
  if (found) setCurrency(found.currency)
}

function endpointId(): string {
  return endpoint.value || (session.value?.catalogue.endpoints?.[0]?.id ?? '')
}
