import { ErrorNote } from '../shell/error-note.tsx'
import { texts } from '../texts.ts'
import { formatBytes, formatDuration } from './format.ts'
import type { Transfer } from './transfer.ts'

/** How far a report has come, and a way to stop it; or why it did not arrive. */
export function TransferStatus({ transfer }: { readonly transfer: Transfer }) {
  const end = transfer.end.value
  if (end?.kind === 'failed') return <ErrorNote error={end.error} />
  if (end?.kind === 'cancelled') {
    return (
      <p class="note warn" role="status">
        {texts.answer.cancelled}
      </p>
    )
  }
  if (end) return null
  const { bytes, rows, durationMs } = transfer.progress.value
  const arrived = [
    rows > 0 && texts.answer.rowsSoFar(rows),
    formatBytes(bytes),
    formatDuration(durationMs),
  ]
  return (
    <div class="transfer">
      <progress aria-label={texts.answer.loading} />
      <span role="status">
        {bytes === 0 ? texts.answer.waiting : arrived.filter(Boolean).join(' · ')}
      </span>
      <button type="button" onClick={transfer.cancel}>
        {texts.answer.cancel}
      </button>
    </div>
  )
}
