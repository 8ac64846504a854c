import type { ControlTotal, Run, RunFile } from '@counterfoil/protocol'
import * as z from 'zod'
import { envelopeSchema } from '../report/envelope-schema.ts'
import { ROLES } from '../store/store.ts'

const instant = z.string().meta({ format: 'date-time' })
const count = z.int().min(0)

const file = z.object({
  name: z.string(),
  contentType: z.string(),
  contentCoding: z.exactOptional(z.string()),
  rows: count.meta({ description: 'data rows, without the header row' }),
  bytes: count.meta({ description: 'the bytes that were sent, in their content coding' }),
  sha256: z.string().meta({ description: 'the SHA-256 of these bytes, in base64' }),
  replaced: count.meta({ description: 'characters that the encoding lacks, written as "?"' }),
}) satisfies z.ZodType<RunFile>

const controlTotal = z.object({
  column: z.string(),
  currency: z.string(),
  amounts: count,
  sum: z.string().meta({ description: 'a decimal number' }),
}) satisfies z.ZodType<ControlTotal>

/** The record of one report. */
export const runSchema = z
  .object({
    runId: z.string(),
    login: z.string(),
    viewSession: z.exactOptional(
      z
        .string()
        .meta({ description: 'the id of the view session, if the request has no signature' }),
    ),
    reportIdentifier: z.string(),
    reportName: z.string(),
    outcome: z.enum(['complete', 'aborted', 'cut']),
    startedAt: instant,
    endedAt: instant,
    durationMs: count,
    request: z.exactOptional(envelopeSchema),
    parameters: z.exactOptional(z.record(z.string(), z.unknown())),
    timezone: z.string(),
    scope: z.object({ role: z.enum(ROLES), sees: z.array(z.string()) }),
    file: z.exactOptional(file),
    controlTotals: z.exactOptional(z.array(controlTotal)),
    schemaHash: z.string(),
    newestRow: z.string(),
    changedSince: z.exactOptional(z.string()),
    cursor: z.exactOptional(
      z.string().meta({ description: 'the value of changedSince for the next request' }),
    ),
  })
  // A parsed request has `undefined` for its missing members.
  .meta({ description: 'The record of one report.' }) satisfies z.ZodType<Omit<Run, 'request'>>

/** A page of runs, the newest first. */
export const runPageSchema = z
  .object({
    runs: z.array(runSchema),
    next: z.exactOptional(
      z.string().meta({ description: 'the value of "before" for the next page' }),
    ),
  })
  .meta({ description: 'A page of runs, the newest first.' })
