import { useEffect } from 'preact/hooks'
import { ErrorNote } from '../shell/error-note.tsx'
import { texts } from '../texts.ts'
import { fault, isLoading, listMore, listRuns, next, runs } from './run-list.ts'
import { RunEntry } from './run-entry.tsx'
import './runs.css'

/** The runs of the login: what it asked for, what it got, and the same request again. */
export function RunsView() {
  useEffect(() => void listRuns(), [])
  return (
    <section class="panel runs" aria-busy={isLoading.value}>
      <header>
        <h1>{texts.runs.title}</h1>
        <button
          type="button"
          class="small"
          disabled={isLoading.value}
          onClick={() => void listRuns()}
        >
          {texts.runs.refresh}
        </button>
      </header>
      <p class="lead">{texts.runs.lead}</p>
      {fault.value !== undefined && <ErrorNote error={fault.value} />}
      {runs.value.length > 0 ? (
        <ul>
          {runs.value.map((run) => (
            <RunEntry key={run.runId} run={run} />
          ))}
        </ul>
      ) : (
        <p class="quiet">{isLoading.value ? texts.runs.loading : texts.runs.none}</p>
      )}
      {next.value !== undefined && (
        <div class="actions">
          <button type="button" disabled={isLoading.value} onClick={() => void listMore()}>
            {texts.runs.more}
          </button>
        </div>
      )}
    </section>
  )
}
