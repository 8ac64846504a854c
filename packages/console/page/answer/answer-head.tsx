import { texts } from '../texts.ts'
import { formatBytes, formatDuration } from './format.ts'
import { proofText } from './proof-text.ts'
import { SmallTable } from './table/small-table.tsx'
import type { Transfer } from './transfer.ts'

/** Whether a report is complete and how far its data goes; folded, how the page knows, and what the gateway said. */
export function AnswerHead({ transfer }: { readonly transfer: Transfer }) {
  const head = transfer.head.value
  const end = transfer.end.value
  if (!head || !end) return null
  const { bytes, rows, durationMs } = transfer.progress.value
  const { outcome, run } = end.kind === 'complete' ? end : {}
  const shownRows = outcome?.rows ?? rows
  const facts: readonly (readonly [string, string | number | undefined])[] = [
    [texts.answer.rows, shownRows > 0 ? shownRows.toLocaleString('en') : undefined],
    [texts.answer.newestRow, head.newestRow?.replace('T', ' ').replace('Z', ' UTC')],
  ]
  const { file } = run ?? {}
  const proof: readonly (readonly [string, string | number | undefined])[] = [
    [texts.answer.run, head.runId],
    [texts.answer.sha256, outcome?.sha256],
    [texts.answer.bytes, bytes > 0 ? formatBytes(bytes) : undefined],
    [texts.answer.duration, formatDuration(durationMs)],
    [texts.answer.status, head.status],
    ['Repr-Digest', file && `sha-256=:${file.sha256}:`],
    ['Counterfoil-Rows', file?.rows],
    ['Counterfoil-Replaced', file?.replaced],
    ...(head.headers ?? []),
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
      <details>
        <summary>{outcome ? texts.answer.howProved : texts.answer.technical}</summary>
        {file && <p class="quiet">{texts.answer.instead}</p>}
        <SmallTable
          name={texts.answer.technical}
          rows={proof.flatMap(([name, value]) =>
            value === undefined ? [] : [[name, String(value)]],
          )}
        />
      </details>
    </div>
  )
}

function Proof({ transfer }: { readonly transfer: Transfer }) {
  const end = transfer.end.value
  if (end?.kind === 'partial') {
    return <p class="quiet">{texts.answer.partial(transfer.progress.value.rows)}</p>
  }
  if (end?.kind !== 'complete') return null
  const { outcome } = end
  const isProved = outcome.proof !== 'none' && outcome.proof !== 'rows'
  return (
    <p class={isProved ? 'note good' : 'note warn'} role="status">
      <strong>{proofText(transfer, outcome)}</strong>
    </p>
  )
}
