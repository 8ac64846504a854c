import { type ReportRequest, Truncated } from '@counterfoil/client'
import { saveBlob } from '../shell/save-text.ts'
import { texts } from '../texts.ts'
import { startTransfer, type Transfer } from './transfer.ts'
import { withControlTotals } from './with-control-totals.ts'

/** The page gives its bytes to the browser in pieces of this size: the browser keeps them outside the page's memory. */
const PIECE_BYTES = 4 << 20

/** Requests a report, and saves it under the gateway's name if the proof shows that it is complete. */
export function saveReport(request: ReportRequest): Transfer {
  const pieces: Blob[] = []
  let chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  const close = () => {
    pieces.push(new Blob(chunks))
    chunks = []
    bytes = 0
  }
  return startTransfer(withControlTotals(request), {
    take: (chunk) => {
      // A copy: a Blob takes no memory that could be shared.
      chunks.push(new Uint8Array(chunk))
      bytes += chunk.length
      if (bytes >= PIECE_BYTES) close()
      return true
    },
    finish: ({ proof }, { fileName = '', contentType = '', runId }) => {
      if (proof === 'none') {
        throw new Truncated(texts.answer.unproved, 'unproved', { requestId: runId })
      }
      close()
      saveBlob(fileName, new Blob(pieces, { type: contentType }))
    },
  })
}
