import {
  CounterfoilError,
  type ReportOutcome,
  type ReportRequest,
  type Run,
} from '@counterfoil/client'
import { type Signal, signal } from '@preact/signals'
import { type AnswerHead, headOf } from '../session/answer-heads.ts'
import { session } from '../session/session.ts'

/** A report that arrives, or has arrived. */
export interface Transfer {
  readonly request: ReportRequest
  /** Undefined until the gateway has answered. */
  readonly head: Signal<TransferHead | undefined>
  readonly progress: Signal<Progress>
  /** Undefined while the report arrives. */
  readonly end: Signal<TransferEnd | undefined>
  /** Resolves when `end` has its value. */
  readonly done: Promise<void>
  readonly cancel: () => void
}

/** What the head of the answer says. */
export interface TransferHead extends Partial<AnswerHead> {
  readonly runId: string | undefined
  readonly fileName?: string
  readonly contentType?: string
  readonly newestRow?: string | undefined
}

/** How much has arrived. */
export interface Progress {
  readonly bytes: number
  readonly rows: number
  readonly durationMs: number
}

/** How a report ended. */
export type TransferEnd =
  | { readonly kind: 'complete'; readonly outcome: ReportOutcome; readonly run: Run | undefined }
  /** The page has the rows that it asked for, and left. */
  | { readonly kind: 'partial' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Who reads the bytes. */
export interface Reader {
  /** Takes a chunk. Returns whether the reader wants more. */
  readonly take: (chunk: Uint8Array) => boolean
  /** The rows so far, if the reader counts them. */
  readonly rows?: () => number
  /** Called when the report is complete, before the end is shown. What it throws is the end. */
  readonly finish?: (outcome: ReportOutcome, head: TransferHead) => void
}

/** Between two updates of the figures that a person sees. */
const PROGRESS_MS = 100

/** Requests a report with the login of the page, and passes its bytes to a reader. */
export function startTransfer(request: ReportRequest, reader: Reader): Transfer {
  const connection = new AbortController()
  const transfer: Omit<Transfer, 'done'> = {
    request,
    head: signal(undefined),
    progress: signal({ bytes: 0, rows: 0, durationMs: 0 }),
    end: signal(undefined),
    cancel: () => connection.abort(),
  }
  const run = async () => {
    try {
      transfer.end.value = await receive(transfer, reader, connection.signal)
    } catch (error) {
      transfer.end.value = failureOf(error, transfer, connection.signal)
    }
  }
  return { ...transfer, done: run() }
}

function failureOf(
  error: unknown,
  { head }: Pick<Transfer, 'head'>,
  aborted: AbortSignal,
): TransferEnd {
  if (aborted.aborted) return { kind: 'cancelled' }
  const runId = error instanceof CounterfoilError ? error.requestId : undefined
  head.value ??= { runId, ...headOf(runId) }
  return { kind: 'failed', error }
}

async function receive(
  { request, head, progress }: Omit<Transfer, 'done'>,
  reader: Reader,
  aborted: AbortSignal,
): Promise<TransferEnd> {
  const client = session.value?.client
  if (!client) return { kind: 'cancelled' }
  const startedAt = performance.now()
  const report = await client.report(request, {}, { signal: aborted })
  const { runId, fileName, contentType, newestRow } = report
  head.value = { runId, fileName, contentType, newestRow, ...headOf(runId) }

  const body = report.body.getReader()
  let bytes = 0
  let shownAt = 0
  const show = () => {
    const now = performance.now()
    shownAt = now
    progress.value = { bytes, rows: reader.rows?.() ?? 0, durationMs: now - startedAt }
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
  reader.finish?.(outcome, head.value)
  // A browser shows no trailers. The manifest has their values.
  const run = runId === undefined ? undefined : await client.manifest(runId).catch(() => undefined)
  return { kind: 'complete', outcome, run }
}
