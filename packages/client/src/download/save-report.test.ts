import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ReportOutcome } from '../report/report.ts'
import { saveReport } from './save-report.ts'

test('saves chunks of every size in their order', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'client-'))
  onTestFinished(async () => await rm(folder, { recursive: true }))
  const sizes = [1, 524_287, 524_288, 1, 0, 524_289, 300_000, 300_000, 2_000_000, 7]
  const chunks = sizes.map((size) => randomBytes(size))
  const complete: ReportOutcome = {
    rows: 0,
    bytes: 0,
    replaced: 0,
    sha256: '',
    proof: 'trailers',
  }
  const arrive = async function* (): AsyncGenerator<Uint8Array, ReportOutcome, void> {
    yield* chunks
    return complete
  }
  const head = { runId: 'run', fileName: 'may.csv', contentType: 'text/csv', newestRow: undefined }
  const progress: number[] = []
  const saved = await saveReport(
    async () => ({ head, chunks: arrive(), cancel: () => {} }),
    { directory: folder },
    { onProgress: (bytes) => progress.push(bytes) },
  )
  expect((await readFile(saved.file)).equals(Buffer.concat(chunks))).toBe(true)
  expect(progress).toHaveLength(sizes.length)
  expect(progress.at(-1)).toBe(Buffer.concat(chunks).length)
})
