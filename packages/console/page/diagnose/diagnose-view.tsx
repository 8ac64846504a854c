import { diagnose, parseAuthorization, readPasted } from '@counterfoil/signing'
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { CopyButton } from '../controls/copy-button.tsx'
import { TextField } from '../controls/fields.tsx'
import { importTypedKey, type TypedKey } from '../controls/typed-key.ts'
import { useAction } from '../controls/use-action.ts'
import { gateway } from '../session/session.ts'
import { openSignature } from '../sign/draft.ts'
import { chosenKey, KeyChoice } from '../sign/key-choice.tsx'
import type { Draft } from '../sign/sign-draft.ts'

/** What a person knows of a refused request. Empty texts are unknown. */
const EMPTY = {
  pasted: '',
  method: '',
  url: '',
  contentType: '',
  body: '',
  baseString: '',
}

/** A diagnosis, the request that it is about, and what its header names. */
type Examined = Awaited<ReturnType<typeof examine>>

export function DiagnoseView() {
  const refusal = useSignal(EMPTY)
  const examined = useSignal<Examined | undefined>(undefined)
  const { fault, run } = useAction()
  const usualUrl = gateway.value?.reportUrl ?? ''
  const isReady = chosenKey.value.text.trim() !== '' || refusal.value.baseString !== ''

  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    return run(async () => {
      examined.value = await examine(refusal.value, chosenKey.value, usualUrl)
    })
  }
  const field = (name: keyof typeof EMPTY, label: string, rows?: number, placeholder = '') => (
    <TextField
      label={label}
      {...(rows !== undefined && { rows })}
      isCode
      placeholder={placeholder}
      value={refusal.value[name]}
      onInput={(text) => (refusal.value = { ...refusal.value, [name]: text })}
    />
  )
  return (
    <div class="sides">
      <form class="panel" onSubmit={submit}>
        <h1>Diagnosis</h1>
        <p class="lead">
          Was a request refused? Paste what you sent, and read which mistake it has. This page
          examines the request itself, and sends nothing.
        </p>
        {field(
          'pasted',
          'Authorization header, curl command line, or entry of a HAR file',
          5,
          'OAuth oauth_consumer_key="…", …',
        )}
        <KeyChoice />
        <details>
          <summary>What the paste does not say</summary>
          <div class="stack">
            <p class="quiet">
              A header alone names no method, URL and body. Whatever you type here counts instead of
              the paste.
            </p>
            {field('method', 'Method')}
            {field('url', 'URL', undefined, usualUrl)}
            {field('contentType', 'Content-Type')}
            {field('body', 'Body', 3)}
          </div>
        </details>
        {field('baseString', 'The base string that your program signed, if you have it', 3)}
        <div class="actions">
          <button type="submit" class="primary" disabled={!isReady || refusal.value.pasted === ''}>
            Name the mistake
          </button>
          {!isReady && <small>The page needs your key or your base string.</small>}
        </div>
      </form>
      <ResultPanel examined={examined.value} fault={fault} />
    </div>
  )
}

interface ResultProps {
  readonly examined: Examined | undefined
  readonly fault: unknown
}

function ResultPanel({ examined, fault }: ResultProps) {
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // On a narrow screen the result is below the form.
    if (examined || fault) panel.current?.scrollIntoView({ block: 'nearest' })
  }, [examined, fault])
  return (
    <div role="status" class="result stack" ref={panel}>
      {fault instanceof Error ? (
        <div class="note bad">
          <strong>The page cannot read the request or the key.</strong>
          <p>{fault.message}</p>
        </div>
      ) : (
        <section class="panel">
          <h2>Result</h2>
          {examined ? (
            <DiagnosisText {...examined} />
          ) : (
            <p class="quiet">The mistake appears here.</p>
          )}
        </section>
      )}
    </div>
  )
}

const OUTCOMES = {
  correct:
    'The signature is right. If the gateway refused the request, compare its reason, the nonce and the time.',
  unknown:
    'No known mistake leads to this signature. Check the key, or paste the base string that your program signed.',
  'no-key': 'Your base string is right. Enter the key too, and the page checks the signature.',
  'too-large': 'The request is too large for a diagnosis: more than 8 KiB.',
} as const

function DiagnosisText({ request, signed, diagnosis }: Examined) {
  const { outcome, refused, baseString, signedBaseString, difference } = diagnosis
  const { at, part, parameter } = difference ?? {}
  const mistakes = [diagnosis.mistake, diagnosis.secondMistake].filter((one) => one !== undefined)
  return (
    <>
      {outcome !== 'mistake' && (
        <p class={`note ${outcome === 'correct' ? 'good' : 'warn'}`}>{OUTCOMES[outcome]}</p>
      )}
      {mistakes.map(({ sentence, fix, clause }) => (
        <div key={sentence} class="note bad">
          <strong>{sentence}</strong>
          <p>{fix}</p>
          <small>{clause}</small>
        </div>
      ))}
      {refused && refused.code !== 'signature-mismatch' && <p>Reason: {refused.reason}</p>}
      {at !== undefined && (
        <p>
          The base strings differ first at character {at}, in{' '}
          {parameter === undefined ? (
            `the ${part === 'url' ? 'URL' : part}`
          ) : (
            <code>{parameter}</code>
          )}
        </p>
      )}
      <BaseString title="Base string of the gateway" text={baseString} at={at} />
      <BaseString title="Your base string" text={difference && signedBaseString} at={at} />
      <div class="actions">
        <button type="button" onClick={() => openSignature(request, signed)}>
          Show the right steps
        </button>
      </div>
    </>
  )
}

interface BaseStringProps {
  readonly title: string
  readonly text: string | undefined
  /** The first character that differs, counted from 1. */
  readonly at: number | undefined
}

function BaseString({ title, text, at }: BaseStringProps) {
  if (text === undefined) return null
  return (
    <div class="base">
      <header>
        <h3>{title}</h3>
        <CopyButton text={text} name={title} />
      </header>
      <pre>
        <bdi dir="ltr">
          {text.slice(0, at && at - 1)}
          {at && <mark>{text.charAt(at - 1) || '(end)'}</mark>}
          {at && text.slice(at)}
        </bdi>
      </pre>
    </div>
  )
}

/** Diagnoses a refused request. Throws `SigningError` if the paste or the key cannot be read. */
async function examine(refusal: typeof EMPTY, key: TypedKey, usualUrl: string) {
  const pasted = await readPasted(refusal.pasted)
  const body = refusal.body === '' ? pasted.body : refusal.body
  const usualType = body === undefined ? undefined : 'application/json'
  const request = {
    method: refusal.method || (pasted.method ?? 'POST'),
    url: refusal.url || (pasted.url ?? usualUrl),
    contentType: refusal.contentType || (pasted.contentType ?? usualType),
    body,
  }
  const { authorization, sentAtSeconds } = pasted
  // A text area ends with the line end that came with the paste.
  const claimed = refusal.baseString.replace(/\r?\n$/, '')
  const diagnosis = await diagnose(
    { ...request, authorization, body: new TextEncoder().encode(body ?? '') },
    {
      keys: key.text.trim() === '' ? [] : [await importTypedKey(key)],
      ...(claimed !== '' && { baseString: claimed }),
      ...(sentAtSeconds !== undefined && { receivedAtSeconds: sentAtSeconds }),
    },
  )
  return { request, signed: readHeader(authorization ?? ''), diagnosis }
}

/** The diagnosis says what is wrong with a malformed header. */
function readHeader(authorization: string): Partial<Pick<Draft, 'login' | 'nonce' | 'timestamp'>> {
  try {
    const values = new Map(parseAuthorization(authorization).parameters)
    const names = { login: 'consumer_key', nonce: 'nonce', timestamp: 'timestamp' }
    const named = Object.entries(names).map(([key, name]) => [key, values.get(`oauth_${name}`)])
    return Object.fromEntries(named.filter(([, value]) => value))
  } catch {
    return {}
  }
}
