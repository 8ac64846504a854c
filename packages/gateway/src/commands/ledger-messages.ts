import * as z from 'zod'
import { ENGINE_ROLES } from '../engine/access.ts'
import { ENGINE_FORMATS } from '../engine/engine.ts'
import { isErrorCode } from '../errors.ts'
import { importRecordSchema } from '../import/import-records.ts'

const id = z.int()
const value = z.union([
  z.string(),
  z.number(),
  z.array(z.string()).readonly(),
  z.array(z.number()).readonly(),
])
const parameters = z.record(z.string(), value).readonly()
const query = z.strictObject({
  sql: z.string(),
  parameters,
  settings: z.record(z.string(), z.union([z.string(), z.number()])).readonly(),
  role: z.enum(ENGINE_ROLES),
  format: z.enum(ENGINE_FORMATS),
})

const insert = z.strictObject({
  path: z.string(),
  table: z.string(),
  columns: z.record(z.string(), z.string()).readonly(),
  settings: query.shape.settings,
})

/** What a command asks of the ledger of a running gateway. The answers carry the same id. */
export const ledgerCallSchema = z.discriminatedUnion('call', [
  z.strictObject({ id, call: z.literal('stream'), query }),
  z.strictObject({ id, call: z.literal('execute'), sql: z.string(), parameters }),
  z.strictObject({ id, call: z.literal('insertCsv'), insert }),
  z.strictObject({ id, call: z.literal('loadTimeZone'), timezone: z.string() }),
  z.strictObject({ id, call: z.literal('beginImport') }),
  z.strictObject({ id, call: z.literal('commitImport'), record: importRecordSchema }),
  z.strictObject({
    id,
    call: z.literal('changeLedger'),
    statements: z.array(z.string()).readonly(),
  }),
  z.strictObject({ id, call: z.literal('endImport') }),
  z.strictObject({ id, call: z.literal('takeSnapshot') }),
  z.strictObject({ id, call: z.literal('dropSnapshot') }),
])

/** See {@link ledgerCallSchema}. */
export type LedgerCall = z.infer<typeof ledgerCallSchema>

/** An answer to a call: chunks of a stream, then its end or its error. */
export const ledgerAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ id, kind: z.literal('chunk'), base64: z.string(), rows: z.int() }),
  z.object({ id, kind: z.literal('done'), value: z.string().optional() }),
  z.object({
    id,
    kind: z.literal('failed'),
    code: z.string().refine(isErrorCode),
    message: z.string(),
    cause: z.string(),
  }),
])

/** See {@link ledgerAnswerSchema}. */
export type LedgerAnswer = z.infer<typeof ledgerAnswerSchema>
