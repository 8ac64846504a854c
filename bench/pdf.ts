import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import * as z from 'zod'
import type { Comparison } from './comparison.ts'
import { limited } from './comparison.ts'
import { median } from './rounds.ts'

const ROUNDS = 3
const ROWS = 100_000
/** pdfkit and pdfmake take minutes for all rows, so they make some, and the rates are compared. */
const PDFKIT_ROWS = 10_000
const PDFMAKE_ROWS = 2_000
const MANY_ROWS = 400_000
const MIB = 1024 * 1024
const OVER_IDLE_MIB = 150

/** What the process of one document measured. */
const measuredSchema = z.object({
  rowsPerCpuSecond: z.number(),
  rowsPerSecond: z.number(),
  overIdleBytes: z.number(),
})

type Measured = z.output<typeof measuredSchema>

/** Measures PDF documents of nine columns with an embedded Unicode font, each in a process of its own. */
export async function measurePdf(): Promise<readonly Comparison[]> {
  const rounds: { readonly ours: Measured; readonly kit: Measured; readonly make: Measured }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const ours = await measure('ours', ROWS)
    const kit = await measure('pdfkit', PDFKIT_ROWS)
    rounds.push({ ours, kit, make: await measure('pdfmake', PDFMAKE_ROWS) })
  }
  const many = await measure('ours', MANY_ROWS)
  const compared = (
    name: string,
    unit: string,
    read: (measured: Measured) => number,
    peer: 'kit' | 'make',
    referenceName: string,
    atLeast?: number,
  ): Comparison => ({
    name,
    unit,
    ours: median(rounds.map(({ ours }) => read(ours))),
    referenceName,
    reference: median(rounds.map((round) => read(round[peer]))),
    ratio: median(rounds.map((round) => read(round.ours) / read(round[peer]))),
    ...(atLeast !== undefined && { atLeast }),
  })
  const [cpu, wall] = [
    ({ rowsPerCpuSecond }: Measured) => rowsPerCpuSecond,
    ({ rowsPerSecond }: Measured) => rowsPerSecond,
  ]
  const name = `a PDF of ${ROWS.toLocaleString('en-US')} rows`
  const kit = `pdfkit’s text(), ${PDFKIT_ROWS.toLocaleString('en-US')} rows`
  const make = `pdfmake, ${PDFMAKE_ROWS.toLocaleString('en-US')} rows`
  return [
    compared(name, 'rows/s of processor time', cpu, 'kit', kit, 15),
    compared(name, 'rows/s', wall, 'kit', kit, 15),
    compared(name, 'rows/s of processor time', cpu, 'make', make, 25),
    compared(name, 'rows/s', wall, 'make', make, 25),
    limited(
      `memory of a PDF of ${MANY_ROWS.toLocaleString('en-US')} rows`,
      'MiB over idle',
      many.overIdleBytes / MIB,
      'the limit',
      OVER_IDLE_MIB,
    ),
  ]
}

async function measure(maker: string, rows: number): Promise<Measured> {
  const child: ChildProcess = fork(new URL('pdf-makers.ts', import.meta.url), [maker, String(rows)])
  const [message]: unknown[] = await once(child, 'message')
  await once(child, 'exit')
  return measuredSchema.parse(message)
}
