import type { ControlTotal, Run } from '@counterfoil/client'
import { digestInHex } from '@counterfoil/protocol'
import { useSignal } from '@preact/signals'
import { groupThousands } from '../answer/table/decimals.ts'
import { formatSum } from '../answer/table/format-sum.ts'
import { draft } from '../report/draft.ts'
import { ErrorNote } from '../shell/error-note.tsx'
import { go } from '../shell/route.ts'
import { saveText } from '../shell/save-text.ts'
import { session } from '../session/session.ts'
import { texts } from '../texts.ts'

/** One run: its report, its period and its outcome; opened, its manifest. */
export function RunEntry({ run }: { readonly run: Run }) {
  return (
    <li>
      <details class="run">
        <summary>
          <time dateTime={run.startedAt}>{shortTime(run.startedAt)}</time>
          <b>{run.reportIdentifier}</b>
          <span class="quiet">{periodOf(run)}</span>
          <span class="quiet">
            {run.file && `${formatOf(run.file)} · ${texts.runs.rows(run.file.rows)}`}
          </span>
          <span class={`outcome ${run.outcome}`}>{texts.runs.outcomes[run.outcome]}</span>
        </summary>
        <Manifest run={run} />
        <Actions run={run} />
      </details>
    </li>
  )
}

function Manifest({ run }: { readonly run: Run }) {
  const { file, controlTotals = [] } = run
  const facts: readonly (readonly [string, string | undefined])[] = [
    [texts.runs.id, run.runId],
    [texts.runs.login, run.login],
    [texts.runs.time, `${run.startedAt} – ${run.endedAt} (${texts.runs.duration(run.durationMs)})`],
    [texts.runs.timezone, run.timezone],
    [texts.runs.file, file && `${file.name} (${file.contentType})`],
    [texts.runs.size, file && texts.runs.bytes(file.bytes)],
    [texts.runs.sha256, file && digestInHex(file.sha256)],
    [texts.runs.newestRow, run.newestRow],
    [texts.runs.cursor, run.cursor],
  ]
  return (
    <div class="manifest">
      <dl>
        {facts.map(([name, value]) => {
          if (value === undefined) return null
          return (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          )
        })}
      </dl>
      {controlTotals.length > 0 && <ControlTotals totals={controlTotals} />}
      {run.request && (
        <details>
          <summary>{texts.runs.request}</summary>
          <pre>{JSON.stringify(run.request, undefined, 2)}</pre>
        </details>
      )}
    </div>
  )
}

function ControlTotals({ totals }: { readonly totals: readonly ControlTotal[] }) {
  return (
    <div class="scroll" role="region" aria-label={texts.runs.controlTotals} tabIndex={0}>
      <table>
        <caption>{texts.runs.controlTotals}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.runs.column}</th>
            <th scope="col">{texts.runs.currency}</th>
            <th scope="col" class="number">
              {texts.runs.amounts}
            </th>
            <th scope="col" class="number">
              {texts.runs.sum}
            </th>
          </tr>
        </thead>
        <tbody>
          {totals.map(({ column, currency, amounts, sum }) => (
            <tr key={`${column} ${currency}`}>
              <td>{column}</td>
              <td>{currency}</td>
              <td class="number">{amounts}</td>
              <td class="number">{groupThousands(formatSum(sum, currency))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The same request again, and the signed manifest as a file. */
function Actions({ run: { request, runId, outcome } }: { readonly run: Run }) {
  const fault = useSignal<unknown>(undefined)
  const again = () => {
    if (!request) return
    draft.value = request
    go('report')
  }
  const saveManifest = async () => {
    fault.value = undefined
    try {
      const manifest = await session.value?.client.signedManifest(runId)
      if (manifest !== undefined) saveText(`${runId}.jws`, 'application/jose', manifest)
    } catch (error) {
      fault.value = error
    }
  }
  return (
    <>
      <div class="actions">
        <button type="button" disabled={!request} onClick={again}>
          {texts.runs.again}
        </button>
        <button type="button" disabled={outcome !== 'complete'} onClick={() => void saveManifest()}>
          {texts.runs.signedManifest}
        </button>
        {!request && <small>{texts.runs.noRequest}</small>}
      </div>
      {fault.value !== undefined && <ErrorNote error={fault.value} />}
    </>
  )
}

function periodOf({ parameters, request }: Run): string {
  const values = new Map(request?.inputReportParameters?.map(({ name, value }) => [name, value]))
  const bound = (name: string) => values.get(name) ?? textOf(parameters?.[name])
  const [from, to] = [bound('dateFrom'), bound('dateTo')]
  return from === '' && to === '' ? '' : `${from} – ${to}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A preview and a download of one period differ in the format. */
function formatOf({ name }: NonNullable<Run['file']>): string {
  return name.slice(name.lastIndexOf('.') + 1).toUpperCase()
}

/** An instant to the second, in UTC. */
function shortTime(instant: string): string {
  return `${instant.slice(0, 19).replace('T', ' ')} UTC`
}
