import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import * as z from 'zod'
import { type Comparison, limited } from './comparison.ts'
import { installPeers } from './peers.ts'
import { median } from './rounds.ts'

const ROUNDS = 3
const ROWS = 100_000
/** The most rows of a tagged document, as `formats.pdf.taggedRowsMax` has it by default. */
const TAGGED_ROWS = 10_000
/** pdfkit’s own texts take minutes for all rows, so it makes some, and the rates are compared. */
const PDFKIT_ROWS = 10_000
const MANY_ROWS = 400_000
const MIB = 1024 * 1024
const OVER_IDLE_MIB = 250

/** What the process of one document measured. */
const measuredSchema = z.object({
  rowsPerCpuSecond: z.number(),
  rowsPerSecond: z.number(),
  overIdleBytes: z.number(),
})

type Measured = z.output<typeof measuredSchema>

/** What one round measured, by maker. */
type Round = Readonly<Record<keyof typeof NAMES, Measured>>

const NAMES = {
  ours: `a PDF of ${grouped(ROWS)} rows`,
  tagged: `a tagged PDF of ${grouped(TAGGED_ROWS)} rows`,
  kit: `pdfkit’s text(), ${grouped(PDFKIT_ROWS)} rows`,
}

/** The unit of each kind of time, and how to read it. */
const TIMES = {
  cpu: ['rows/s of processor time', ({ rowsPerCpuSecond }: Measured) => rowsPerCpuSecond],
  wall: ['rows/s', ({ rowsPerSecond }: Measured) => rowsPerSecond],
} as const

/** Measures PDF documents of nine columns with an embedded Unicode font, each in a process of its own. */
export async function measurePdf(): Promise<readonly Comparison[]> {
  installPeers()
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const ours = await measure('ours', ROWS)
    const tagged = await measure('ours', TAGGED_ROWS)
    const kit = await measure('pdfkit', PDFKIT_ROWS)
    rounds.push({ ours, tagged, kit })
  }
  const many = await measure('ours', MANY_ROWS)
  const compared = (
    maker: 'ours' | 'tagged',
    time: 'cpu' | 'wall',
    atLeast?: number,
  ): Comparison => {
    const [unit, read] = TIMES[time]
    return {
      name: NAMES[maker],
      unit,
      ours: median(rounds.map((round) => read(round[maker]))),
      referenceName: NAMES.kit,
      reference: median(rounds.map((round) => read(round.kit))),
      ratio: median(rounds.map((round) => read(round[maker]) / read(round.kit))),
      ...(atLeast !== undefined && { atLeast }),
    }
  }
  return [
    compared('ours', 'cpu', 5),
    compared('ours', 'wall', 5),
    compared('tagged', 'cpu'),
    limited(
      `memory of a PDF of ${grouped(MANY_ROWS)} rows`,
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

function grouped(rows: number): string {
  return rows.toLocaleString('en-US')
}
