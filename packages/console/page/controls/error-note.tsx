import { CounterfoilError } from '@counterfoil/client'
import type { ComponentChildren } from 'preact'

const TITLES = {
  'not-authorised': 'The gateway refused the request.',
  'invalid-settings': 'These settings cannot work.',
  'operation-refused': 'The gateway refused the operation.',
  busy: 'The gateway is busy.',
  'network-error': 'The gateway did not answer.',
  'timed-out': 'The gateway stopped answering.',
  truncated: 'The report is not complete.',
  'digest-mismatch': 'The report is not what the gateway sent.',
  'unexpected-body': 'The answer is not from a Counterfoil gateway.',
  'file-error': 'The file could not be written.',
} as const

/** Says what went wrong: the sentence, then what the gateway adds to it. Shows nothing without an error. */
export function ErrorNote({ error }: { readonly error: unknown }) {
  if (error === undefined) return null
  const message = error instanceof Error ? error.message : 'The page failed.'
  if (!(error instanceof CounterfoilError)) return <Note title={message} />
  if (error.code === 'report-refused') {
    return <Note title={error.problem.title} text={error.problem.detail} />
  }
  const text = error.code === 'not-authorised' ? (error.refusal ?? message) : message
  return <Note title={TITLES[error.code]} text={text} />
}

interface NoteProps {
  readonly title: string
  readonly text?: string
  readonly children?: ComponentChildren
}

export function Note({ title, text, children }: NoteProps) {
  return (
    <div class="note bad" role="alert">
      <strong>{title}</strong>
      {text !== undefined && <pre>{text}</pre>}
      {children}
    </div>
  )
}
