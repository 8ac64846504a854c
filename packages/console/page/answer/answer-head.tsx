import { texts } from '../texts.ts'
import { formatBytes, formatDuration } from './format.ts'
import { proofText } from './proof-text.ts'
import { SmallTable } from './table/small-table.tsx'
import type { Transfer } from './transfer.ts'

/** What the gateway said about a report, and how the page knows that the report is complete. */
export function AnswerHead({ transfer }: { readonly transfer: Transfer }) {
  const head = transfer.head.value
  const end = transfer.end.value
  if (!head) return null
  const { bytes, rows, durationMs } = transfer.progress.value
  const outcome = end?.kind === 'complete' ? end.outcome : undefined
  const shownRows = outcome?.rows ?? rows
  const { headers = [] } = head
  const facts: readonly (readonly [string, string | number | undefined])[] = [
    [texts.answer.rows, end && shownRows > 0 ? shownRows.toLocaleString('en') : undefined],
    [texts.answer.bytes, end && bytes > 0 ? formatBytes(bytes) : undefined],
    [texts.answer.duration, end && formatDuration(durationMs)],
    [texts.answer.newestRow, head.newestRow],
    [texts.answer.status, head.status],
    [texts.answer.run, head.runId],
    [texts.answer.sha256, outcome?.sha256],
  ]
  return (
    <div class="answer-head">
      <Proof transfer={transfer} />
      <dl>
        {facts.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
      {headers.length > 0 && (
        <details>
          <summary>{texts.answer.headers(headers.length)}</summary>
          <SmallTable rows={headers} name={texts.answer.headers(headers.length)} />
        </details>
      )}
    </div>
  )
}

function Proof({ transfer }: { readonly transfer: Transfer }) {
  const end = transfer.end.value
  if (end?.kind === 'partial') {
    return <p class="quiet">{texts.answer.partial(transfer.progress.value.rows)}</p>
  }
  if (end?.kind !== 'complete') return null
  const { outcome, run } = end
  const isProved = outcome.proof !== 'none' && outcome.proof !== 'rows'
  const { file } = run ?? {}
  return (
    <div class={isProved ? 'note good' : 'note warn'} role="status">
      <strong>{proofText(transfer, outcome)}</strong>
      {file && (
        <details>
          <summary>{texts.answer.instead}</summary>
          <SmallTable
            name={texts.answer.instead}
            rows={[
              ['Repr-Digest', `sha-256=:${file.sha256}:`],
              ['Counterfoil-Rows', String(file.rows)],
              ['Counterfoil-Replaced', String(file.replaced)],
            ]}
          />
        </details>
      )}
    </div>
  )
}
