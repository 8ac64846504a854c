import { CounterfoilError } from '@counterfoil/client'
import { texts } from '../texts.ts'

/** Says what went wrong: the sentence, then what the gateway adds to it. */
export function ErrorNote({ error }: { readonly error: unknown }) {
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof CounterfoilError)) return <Note title={message} />
  if (error.code === 'not-authorised') {
    return <Note title={texts.errors.notAuthorised} text={error.refusal ?? message} />
  }
  if (error.code === 'report-refused') {
    const faults = error.problem.errors ?? []
    return (
      <Note title={error.problem.title} text={error.problem.detail}>
        {faults.length > 0 && (
          <ul>
            {faults.map(({ pointer, expected }) => (
              <li key={pointer}>
                <code>{pointer}</code> {expected}
              </li>
            ))}
          </ul>
        )}
      </Note>
    )
  }
  return <Note title={texts.errors[error.code]} text={message} />
}

interface NoteProps {
  readonly title: string
  readonly text?: string
  readonly children?: preact.ComponentChildren
}

function Note({ title, text, children }: NoteProps) {
  return (
    <div class="note bad" role="alert">
      <strong>{title}</strong>
      {text !== undefined && <pre>{text}</pre>}
      {children}
    </div>
  )
}
