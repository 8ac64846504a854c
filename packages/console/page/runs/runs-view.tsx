import type { Run } from '@counterfoil/client'
import { digestInHex } from '@counterfoil/protocol'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import {
  formatCount,
  formatDuration,
  formatRows,
  formatSum,
  groupThousands,
} from '../answer/amounts.ts'
import { saveFile } from '../answer/transfer.ts'
import { ErrorNote } from '../controls/error-note.tsx'
import { Facts, Table } from '../controls/table.tsx'
import { useAction } from '../controls/use-action.ts'
import { draft } from '../report/draft.ts'
import { session } from '../session/session.ts'
import { go } from '../shell/route.ts'

const PAGE_RUNS = 25

export function RunsView() {
  const runs = useSignal<readonly Run[]>([])
  const next = useSignal<string | undefined>(undefined)
  const { isBusy, fault, run } = useAction()
  const list = (before?: string) => {
    if (before === undefined) runs.value = []
    return run(async () => {
      const page = await session.value?.client.runs({ limit: PAGE_RUNS, before })
      runs.value = [...runs.value, ...(page?.runs ?? [])]
      next.value = page?.next
    })
  }
  useEffect(() => void list(), [])
  return (
    <section class="panel" aria-busy={isBusy}>
      <header>
        <h1>Runs</h1>
        <button type="button" class="small" disabled={isBusy} onClick={() => void list()}>
          Refresh
        </button>
      </header>
      <p class="lead">
        A run is the record of one report: who asked for what, and the proof of the file that was
        sent.
      </p>
      <ErrorNote error={fault} />
      {runs.value.length > 0 ? (
        <RunList runs={runs.value} />
      ) : (
        <p class="quiet">{isBusy ? 'Asking for the runs …' : 'Your login has no runs yet.'}</p>
      )}
      {next.value !== undefined && (
        <div class="actions">
          <button type="button" disabled={isBusy} onClick={() => void list(next.value)}>
            Older runs
          </button>
        </div>
      )}
    </section>
  )
}

function RunList({ runs: listed }: { readonly runs: readonly Run[] }) {
  return (
    <ul class="runs">
      {listed.map((run) => (
        <li key={run.runId}>
          <details class="run">
            <summary>
              <time dateTime={run.startedAt}>
                {run.startedAt.slice(0, 19).replace('T', ' ')} UTC
              </time>
              <b>{run.reportIdentifier}</b>
              <span class="quiet">{periodOf(run)}</span>
              <span class="quiet">
                {run.file && `${formatOf(run.file)} · ${formatRows(run.file.rows)}`}
              </span>
              <span class={`outcome ${run.outcome}`}>{run.outcome}</span>
            </summary>
            <Manifest run={run} />
            <Actions run={run} />
          </details>
        </li>
      ))}
    </ul>
  )
}

function Manifest({ run }: { readonly run: Run }) {
  const { file, controlTotals = [] } = run
  return (
    <div class="manifest stack">
      <Facts
        facts={{
          Run: run.runId,
          Login: run.login,
          'Time (UTC)': `${run.startedAt} – ${run.endedAt} (${formatDuration(run.durationMs)})`,
          'Time zone of the report': run.timezone,
          File: file && `${file.name} (${file.contentType})`,
          Size: file && `${formatCount(file.bytes)} bytes`,
          'SHA-256': file && digestInHex(file.sha256),
          'Newest row': run.newestRow,
          Cursor: run.cursor,
        }}
      />
      {controlTotals.length > 0 && (
        <>
          <b>Control totals</b>
          <Table
            name="Control totals"
            titles={['Column', 'Currency', 'Amounts', 'Sum']}
            isNumber={(column) => column >= 2}
            rows={controlTotals.map(({ column, currency, amounts, sum }) => [
              column,
              currency,
              String(amounts),
              groupThousands(formatSum(sum, currency)),
            ])}
          />
        </>
      )}
      {run.request && (
        <details>
          <summary>Request</summary>
          <pre>{JSON.stringify(run.request, undefined, 2)}</pre>
        </details>
      )}
    </div>
  )
}

function Actions({ run: { request, runId, outcome } }: { readonly run: Run }) {
  const { fault, run } = useAction()
  const again = () => {
    if (!request) return
    draft.value = request
    go('report')
  }
  const saveManifest = async () => {
    const manifest = (await session.value?.client.signedManifest(runId)) ?? ''
    saveFile(`${runId}.jws`, new Blob([manifest], { type: 'application/jose' }))
  }
  return (
    <>
      <div class="actions">
        <button type="button" disabled={!request} onClick={again}>
          Same request again
        </button>
        <button
          type="button"
          disabled={outcome !== 'complete'}
          onClick={() => void run(saveManifest)}
        >
          Save the signed manifest
        </button>
        {!request && (
          <small>
            The record does not hold the request: it was very long, or held a card number.
          </small>
        )}
      </div>
      <ErrorNote error={fault} />
    </>
  )
}

function periodOf({ parameters, request }: Run): string {
  const values = new Map(request?.inputReportParameters?.map(({ name, value }) => [name, value]))
  const [from, to] = ['dateFrom', 'dateTo'].map((name) => {
    const effective = parameters?.[name]
    return values.get(name) ?? (typeof effective === 'string' ? effective : '')
  })
  return from || to ? `${from} – ${to}` : ''
}

/** A preview and a download of one period differ in the format. */
function formatOf({ name }: NonNullable<Run['file']>): string {
  return name.slice(name.lastIndexOf('.') + 1).toUpperCase()
}
