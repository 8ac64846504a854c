import {
  CounterfoilError,
  createError,
  type ReportHead,
  type ReportOutcome,
  type ReportRequest,
} from '@counterfoil/client'
import { type Signal, signal } from '@preact/signals'
import { session } from '../session/session.ts'

export interface Transfer {
  readonly request: ReportRequest
  /** Undefined until the gateway has answered. */
  readonly head: Signal<Partial<ReportHead> | undefined>
  readonly progress: Signal<{ bytes: number; rows: number; durationMs: number }>
  /** Undefined while the report arrives. */
  readonly end: Signal<TransferEnd | undefined>
  readonly cancel: () => void
}

type TransferEnd =
  | { readonly kind: 'complete'; readonly outcome: ReportOutcome }
  /** The page has the rows that it asked for, and left. */
  | { readonly kind: 'partial' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: unknown }

interface Reader {
  /** Takes a chunk. Returns whether the reader wants more. */
  readonly take: (chunk: Uint8Array) => boolean
  readonly rows?: () => number
  /** Called when the report is complete, before the end is shown. What it throws is the end. */
  readonly finish?: (outcome: ReportOutcome, head: ReportHead) => void
}

const PROGRESS_MS = 100

/** Requests a report with the login of the page, and passes its bytes to a reader. */
export function startTransfer(request: ReportRequest, reader: Reader): Transfer {
  const connection = new AbortController()
  const transfer: Transfer = {
    request,
    head: signal(undefined),
    progress: signal({ bytes: 0, rows: 0, durationMs: 0 }),
    end: signal(undefined),
    cancel: () => connection.abort(),
  }
  void receive(transfer, reader, connection.signal)
    .catch((error: unknown): TransferEnd => {
      if (connection.signal.aborted) return { kind: 'cancelled' }
      if (error instanceof CounterfoilError) transfer.head.value ??= { runId: error.requestId }
      return { kind: 'failed', error }
    })
    .then((end) => (transfer.end.value = end))
  return transfer
}

async function receive(
  { request, head, progress }: Transfer,
  reader: Reader,
  aborted: AbortSignal,
): Promise<TransferEnd> {
  const client = session.value?.client
  if (!client) return { kind: 'cancelled' }
  const startedAt = performance.now()
  const report = await client.report(request, {}, { signal: aborted })
  head.value = report
  const body = report.body.getReader()
  let bytes = 0
  let shownAt = 0
  const show = () => {
    shownAt = performance.now()
    progress.value = { bytes, rows: reader.rows?.() ?? 0, durationMs: shownAt - startedAt }
  }
  try {
    for (;;) {
      const { done, value } = await body.read()
      if (done) break
      bytes += value.length
      const wantsMore = reader.take(value)
      if (!wantsMore) return { kind: 'partial' }
      if (performance.now() - shownAt > PROGRESS_MS) show()
    }
  } finally {
    show()
    body.cancel().catch(() => {})
  }
  const outcome = await report.completed
  reader.finish?.(outcome, report)
  return { kind: 'complete', outcome }
}

export function withControlTotals(request: ReportRequest): ReportRequest {
  const settings = request.configurationReportParameters ?? []
  const others = settings.filter(({ name }) => name !== 'controlTotals')
  const asked = { type: 'INPUT_SELECT', name: 'controlTotals', value: 'on' } as const
  return { ...request, configurationReportParameters: [...others, asked] }
}

/** Requests a report, and saves it under the gateway's name if the proof shows that it is complete. */
export function saveReport(request: ReportRequest): Transfer {
  const pieces: Blob[] = []
  return startTransfer(withControlTotals(request), {
    take: (chunk) => {
      // The browser keeps a Blob outside the page's memory. A Blob takes no memory that could be shared, but a copy.
      pieces.push(new Blob([new Uint8Array(chunk)]))
      return true
    },
    finish: ({ proof }, { fileName, contentType, runId }) => {
      if (proof === 'none') {
        const message = 'The gateway did not prove the file, so the page did not save it.'
        throw createError('truncated', message, { reason: 'unproved' }, { requestId: runId })
      }
      saveFile(fileName, new Blob(pieces, { type: contentType }))
    },
  })
}

export function saveFile(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads the bytes after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
