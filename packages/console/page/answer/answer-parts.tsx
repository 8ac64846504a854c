import { countsRows, type ReportOutcome } from '@counterfoil/client'
import { ErrorNote } from '../controls/error-note.tsx'
import { Facts, Table } from '../controls/table.tsx'
import { formatBytes, formatCount, formatDuration, formatRows, groupThousands } from './amounts.ts'
import type { LoadedRows } from './rows.ts'
import type { Transfer } from './transfer.ts'

interface TransferProps {
  readonly transfer: Transfer
}

/** How far a report has come, and a way to stop it; or why it did not arrive. */
export function TransferStatus({ transfer }: TransferProps) {
  const end = transfer.end.value
  if (end?.kind === 'failed') return <ErrorNote error={end.error} />
  if (end?.kind === 'cancelled') {
    return (
      <p class="note warn" role="status">
        Cancelled.
      </p>
    )
  }
  if (end) return null
  const { bytes, rows, durationMs } = transfer.progress.value
  const arrived = [rows > 0 && formatRows(rows), formatBytes(bytes), formatDuration(durationMs)]
  return (
    <div class="transfer">
      <progress aria-label="The report arrives" />
      <span role="status">
        {bytes === 0 ? 'Waiting for the gateway …' : arrived.filter(Boolean).join(' · ')}
      </span>
      <button type="button" onClick={transfer.cancel}>
        Cancel
      </button>
    </div>
  )
}

/** Whether a report is complete and how far its data goes; folded, what proves it. */
export function AnswerHead({ transfer }: TransferProps) {
  const head = transfer.head.value
  const end = transfer.end.value
  if (!head || !end) return null
  const { bytes, rows: readRows, durationMs } = transfer.progress.value
  const outcome = end.kind === 'complete' ? end.outcome : undefined
  const rows = outcome?.rows ?? readRows
  const technical = Object.entries({
    Run: head.runId,
    'SHA-256': outcome?.sha256,
    Rows: outcome?.rows,
    'Replaced characters': outcome?.replaced || undefined,
    Bytes: bytes > 0 ? formatBytes(bytes) : undefined,
    Duration: formatDuration(durationMs),
  })
  return (
    <div class="answer-head stack">
      {end.kind === 'partial' && (
        <p class="quiet">
          The first {formatCount(readRows)} rows. The view of totals reads all, and so does a
          download.
        </p>
      )}
      {outcome && (
        <p
          class={/trailers|manifest/.test(outcome.proof) ? 'note good' : 'note warn'}
          role="status"
        >
          <strong>{proofText(transfer, outcome)}</strong>
        </p>
      )}
      <Facts
        facts={{
          Rows: rows > 0 ? formatCount(rows) : undefined,
          'Newest row of the ledger': head.newestRow?.replace('T', ' ').replace('Z', ' UTC'),
        }}
      />
      <details>
        <summary>{outcome ? 'How this was proved' : 'What the gateway answered'}</summary>
        <Table
          name="What the gateway answered"
          rows={technical.flatMap(([name, value]) =>
            value === undefined ? [] : [[name, String(value)]],
          )}
        />
      </details>
    </div>
  )
}

function proofText({ head }: Transfer, { proof }: ReportOutcome): string {
  if (proof === 'none') return 'The gateway does not prove that the report is complete.'
  if (proof === 'rows') {
    return 'The row count agrees with the manifest. Something on the way compressed the report, so the page cannot compare the digest.'
  }
  const agree = countsRows(head.value?.contentType ?? '')
    ? 'digest and row count agree'
    : 'the digest agrees'
  const source = proof === 'trailers' ? 'the gateway’s trailers' : 'the manifest of the run'
  return `Complete: ${agree} with ${source}.`
}

/** The exact sums that the report's file declares, separated by the columns that it names. */
export function Totals({ rows }: { readonly rows: LoadedRows }) {
  const end = rows.transfer.end.value
  const isComplete = end?.kind === 'complete'
  const { by, columns, totals } = rows.totals.value
  const groups = end ? totals(isComplete) : []
  if (groups.length === 0) return null
  const { rows: count } = rows.transfer.progress.value
  const covered = isComplete ? 'all rows' : `the first ${formatCount(count)} rows only`
  return (
    <details class="totals">
      <summary>Totals of {covered}</summary>
      {rows.report.note !== undefined && <p class="quiet">{rows.report.note}</p>}
      <Table
        name="Totals"
        titles={[...by, 'Rows', ...columns]}
        isNumber={(column) => column >= by.length}
        rows={groups.map(({ group, rows: summed, sums }) => [
          ...group,
          formatCount(summed),
          ...sums.map(groupThousands),
        ])}
      />
    </details>
  )
}
