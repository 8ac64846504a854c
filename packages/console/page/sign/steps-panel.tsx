import { percentEncode, type SigningPart, type SigningStep } from '@counterfoil/signing'
import { useSignal } from '@preact/signals'
import { CopyButton } from '../controls/copy-button.tsx'
import { Table } from '../controls/table.tsx'
import { chosenKey } from './key-choice.tsx'
import type { SignedDraft } from './sign-draft.ts'

/** Shows the steps of a signature, each with its sentence, its clause and its values. */
export function StepsPanel({ signed, steps }: SignedDraft) {
  const values: Partial<Record<SigningStep['name'], string>> = {
    sort: signed.parameterString,
    'base-string': signed.baseString,
    signature: signed.signature,
    header: signed.authorization,
  }
  return (
    <section class="panel">
      <h2>Steps</h2>
      <ol class="steps">
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

/** Marks what is encoded twice. */
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
