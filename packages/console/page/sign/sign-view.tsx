import { percentEncode, type SigningPart, type SigningStep } from '@counterfoil/signing'
import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { CopyButton } from '../controls/copy-button.tsx'
import { Table } from '../controls/table.tsx'
import { beginFirst, outcome, signAgain } from './draft.ts'
import { CONTROL_KEY, curlProgram, PRIVATE_KEY_FILE } from './curl-program.ts'
import { chosenKey } from './key-choice.tsx'
import { RequestForm } from './request-form.tsx'
import type { SignedDraft } from './sign-draft.ts'

export function SignView() {
  useEffect(beginFirst, [])
  useSignalEffect(signAgain)
  const { signature, fault } = outcome.value
  return (
    <div class="sides">
      <section class="panel">
        <h1>Signature</h1>
        <p class="lead">
          See how any request is signed, step by step. This page computes every value itself, and
          the key never leaves it.
        </p>
        <RequestForm />
      </section>
      <div class="stack">
        {fault instanceof Error && (
          <p class="note bad" role="status">
            {fault.message}
          </p>
        )}
        {!signature && !fault && <p class="note warn">Type a login and a key to see the steps.</p>}
        {signature && <StepsPanel {...signature} />}
        {signature && <ProgramPanel {...signature} />}
      </div>
    </div>
  )
}

/** Shows the request as a program of a person's own, which signs afresh with each run. */
function ProgramPanel({ request, signed }: SignedDraft) {
  const { source, isRsa } = curlProgram(request, signed)
  return (
    <section class="panel">
      <header>
        <h2>Copy as a program</h2>
        <CopyButton text={source} name="Copy the program" isLong />
      </header>
      <p>
        The program for bash, curl and openssl signs afresh with each run. It reads{' '}
        {isRsa
          ? 'the private key from the file that this variable names:'
          : 'the control key from the variable'}{' '}
        <code>{isRsa ? PRIVATE_KEY_FILE : CONTROL_KEY}</code>
      </p>
      <pre class="program" tabIndex={0} role="region" aria-label="Copy as a program">
        {source}
      </pre>
    </section>
  )
}

function StepsPanel({ signed, steps }: SignedDraft) {
  const values: Partial<Record<SigningStep['name'], string>> = {
    sort: signed.parameterString,
    'base-string': signed.baseString,
    signature: signed.signature,
    header: signed.authorization,
  }
  return (
    <section class="panel">
      <h2>Steps</h2>
      <ol class="steps stack">
        {steps.map((step) => (
          <li key={step.name} class={step.name}>
            <header>
              <h3>{step.title}</h3>
              {step.name !== 'key' && (
                <CopyButton text={values[step.name] ?? textOf(step.lines)} name={step.title} />
              )}
            </header>
            <p>{step.sentence}</p>
            <small>{step.clause}</small>
            <Values {...step} />
            {step.name === 'key' && <Secret />}
          </li>
        ))}
      </ol>
    </section>
  )
}

function textOf(lines: SigningStep['lines']): string {
  const isRow = lines[0]?.[0]?.kind === 'label'
  return lines.map((line) => line.map(({ text }) => text).join(isRow ? '\t' : '')).join('\n')
}

/** Lines that begin with a label are rows of a table. An empty line separates other lines. */
function Values({ name, title, lines }: SigningStep) {
  const rows = lines.filter(([first]) => first?.kind === 'label')
  const others = lines.filter(([first]) => first?.kind !== 'label')
  return (
    <>
      {rows.length > 0 && (
        <Table name={title} rows={rows.map((row) => row.map(({ text }) => text))} />
      )}
      {others.length > 0 && (
        <pre>
          {others.map((line, row) => (
            <span key={row}>
              {line.map((part, column) => (
                <Part key={column} isTwice={name === 'base-string'} {...part} />
              ))}
            </span>
          ))}
        </pre>
      )}
    </>
  )
}

function Part({ text, kind = 'value', isTwice }: SigningPart & { readonly isTwice: boolean }) {
  const pieces = isTwice ? text.split(/((?:%25[0-9A-F]{2})+)/) : [text]
  return (
    <bdi class={`part ${kind}`} dir="ltr">
      {pieces.map((piece, at) => (at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece))}
    </bdi>
  )
}

/** The key of HMAC-SHA1, hidden unless the person asks for it: the encoded control key, `&`, and no token secret. */
function Secret() {
  const isShown = useSignal(false)
  const { kind, text } = chosenKey.value
  if (kind === 'private') return null
  return (
    <p class="with-button">
      <button
        type="button"
        aria-pressed={isShown.value}
        onClick={() => (isShown.value = !isShown.value)}
      >
        Show the key
      </button>
      {isShown.value && <code>{`${percentEncode(text.trim())}&`}</code>}
    </p>
  )
}
