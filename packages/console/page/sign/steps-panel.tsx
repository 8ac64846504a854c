import type { SigningPart, SigningStep } from '@counterfoil/signing'
import { useSignal } from '@preact/signals'
import { CopyButton } from '../shell/copy-button.tsx'
import { texts } from '../texts.ts'
import { typedKey } from './key-state.ts'
import type { SignedDraft } from './sign-draft.ts'
import { explainTwiceEncoded, splitTwiceEncoded } from './twice-encoded.ts'
import { secretOf } from './typed-key.ts'

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
      <h2>{texts.sign.steps}</h2>
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
            {step.name === 'base-string' && <TwiceEncoded baseString={signed.baseString} />}
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
  const groups = splitAtEmptyLines(lines.filter(([first]) => first?.kind !== 'label'))
  return (
    <>
      {rows.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label={title}>
          <table>
            <tbody>
              {rows.map(([label, ...cells], at) => (
                <tr key={at}>
                  <th scope="row">{label?.text}</th>
                  {cells.map((cell, column) => (
                    <td key={column}>
                      <Part {...cell} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {groups.map((group, at) => (
        <pre key={at}>
          {group.map((line, row) => (
            <span key={row}>
              {line.map((part, column) => (
                <Part key={column} isTwice={name === 'base-string'} {...part} />
              ))}
            </span>
          ))}
        </pre>
      ))}
    </>
  )
}

function splitAtEmptyLines(lines: SigningStep['lines']): readonly SigningStep['lines'][] {
  const end = lines.findIndex((line) => line.length === 0)
  const groups =
    end === -1 ? [lines] : [lines.slice(0, end), ...splitAtEmptyLines(lines.slice(end + 1))]
  return groups.filter((group) => group.length > 0)
}

/** Marks what is encoded twice. */
function Part({ text, kind, isTwice = false }: SigningPart & { readonly isTwice?: boolean }) {
  const pieces = isTwice ? splitTwiceEncoded(text) : [text]
  return (
    <bdi class={`part ${kind ?? ''}`} dir="ltr">
      {pieces.map((piece, at) => (at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece))}
    </bdi>
  )
}

function TwiceEncoded({ baseString }: { readonly baseString: string }) {
  const rows = explainTwiceEncoded(baseString)
  if (rows.length === 0) return null
  return (
    <details>
      <summary>{texts.sign.twice}</summary>
      <p>{texts.sign.twiceWhy}</p>
      <table class="twice">
        <thead>
          <tr>
            {texts.sign.twiceColumns.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ twice, once, character }) => (
            <tr key={twice}>
              <td>{character === ' ' ? texts.sign.space : character}</td>
              <td>{once}</td>
              <td>{twice}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

/** The key of HMAC-SHA1, hidden unless the person asks for it. */
function Secret() {
  const isShown = useSignal(false)
  if (typedKey.value.kind === 'private') return null
  return (
    <p class="secret">
      <button
        type="button"
        aria-pressed={isShown.value}
        onClick={() => (isShown.value = !isShown.value)}
      >
        {texts.sign.showKey}
      </button>
      {isShown.value && <code>{secretOf(typedKey.value)}</code>}
    </p>
  )
}
