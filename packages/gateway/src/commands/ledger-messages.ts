import * as z from 'zod'
import { isErrorCode } from '@counterfoil/common'
import { importRecordSchema } from '@counterfoil/ledger'

const id = z.int()
/** What a command asks of the ledger of a running gateway. The answers carry the same id. */
export const ledgerCallSchema = z.discriminatedUnion('call', [
  z.strictObject({ id, call: z.literal('findServer') }),
  z.strictObject({ id, call: z.literal('beginImport') }),
  z.strictObject({
    id,
    call: z.literal('commitImport'),
    record: importRecordSchema,
    statements: z.array(z.string()).readonly(),
  }),
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

/** The address of the gateway's own ClickHouse server. */
export const ownAddressSchema = z.object({
  url: z.string(),
  login: z.object({ user: z.string(), password: z.string() }),
})

/** An answer to a call: its end or its error. */
export const ledgerAnswerSchema = z.discriminatedUnion('kind', [
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
